// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The lane of errors: reported and thrown errors and their responders.
@Suite(.timeLimit(.minutes(1))) struct ErrorTests {
    private struct ShowSignIn: Event {
        let reason: String
    }

    private struct Generic<Value>: Error {}

    private struct Renamed: ReportableError {
        static let name = "shop.out-of-stock"
    }

    private func outcome(
        of error: any Error, at path: NodePath = "/shop/shelf",
        @NodeBuilder _ nodes: () -> [Node]
    ) async throws -> Outcome {
        try await LoopbackBus(mount: .root, nodes: nodes).run { bus in
            try await bus.report(error, from: path).outcome
        }
    }

    // MARK: - Reporting

    @Test func `a reported error is handled by an ancestor with its typed value`() async throws {
        let journal = Journal()
        let outcome = try await outcome(of: OutOfStock(item: 9)) {
            Node("shop") {
                Node("shelf")
            }
            .handleError(OutOfStock.self) { await journal.note("item \($0.item)") }
        }
        #expect(outcome == .handled(by: "/shop"))
        #expect(await journal.entries == ["item 9"])
    }

    @Test func `an unhandled error ends failed with its own name, message and origin`() async throws
    {
        @Environment(\.reportError) var reportError
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").task {
                    let outcome = try await reportError(OutOfStock(item: 3)).outcome
                    guard case .failed(let failure) = outcome else {
                        await journal.note("\(outcome)")
                        return
                    }
                    await journal.note(
                        "\(failure.name), \(failure.message ?? ""), \(failure.node ?? .root)")
                }
            }
            .receiveError(OutOfStock.self) { _ in .notHandled }
        }
        try await bus.run { _ in
            let failure = try await journal.entries(1)[0]
            #expect(failure == "OutOfStock, item 3 is out of stock, /shop/shelf")
        }
    }

    @Test func `an error of any type has a valid name and a message`() async throws {
        let journal = Journal()
        for error in [SoldOut(), Generic<Int>()] as [any Error] {
            let outcome = try await outcome(of: error) {
                Node("shop") { Node("shelf") }
                    .handleError { await journal.note("\($0.name): \($0.message ?? "")") }
            }
            #expect(outcome == .handled(by: "/shop"))
        }
        #expect(
            await journal.entries == [
                "SoldOut: nothing is left", "Generic_Int: Generic<Int>()",
            ])
    }

    @Test func `an error has the name that its type declares`() async throws {
        let outcome = try await outcome(of: Renamed()) {
            Node("shop") { Node("shelf") }.handleError(Renamed.self) { _ in }
        }
        #expect(outcome == .handled(by: "/shop"))
    }

    @Test func `event responders see no errors, and error responders no events`() async throws {
        let journal = Journal()
        let shop = Node("shop") { Node("shelf") }
            .handle { await journal.note("event \($0.name)") }
            .handleError { await journal.note("error \($0.name)") }
        try await LoopbackBus(mount: .root) { shop }.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/shop/shelf").outcome
            _ = try await bus.report(OutOfStock(), from: "/shop/shelf").outcome
        }
        #expect(await journal.entries == ["event ItemSelected", "error OutOfStock"])
    }

    // MARK: - Throwing

    @Test func `a thrown error visits the error responders above, with its value`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").handle(ItemSelected.self) { throw OutOfStock(item: $0.item) }
            }
            .handleError(OutOfStock.self) { await journal.note("item \($0.item)") }
        }
        try await bus.run { bus in
            let outcome = try await bus.trigger(ItemSelected(item: 4), from: "/shop/shelf").outcome
            guard case .caught(let failure, by: "/shop") = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failure.name.description == "OutOfStock")
            #expect(failure.node == "/shop/shelf")
        }
        #expect(await journal.entries == ["item 4"])
    }

    @Test func `a thrown error continues at the next responder of the same node`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop")
                .handle(ItemSelected.self) { _ in throw SoldOut() }
                .handleError { _ in }
        }
        try await bus.run { bus in
            let outcome = try await bus.trigger(ItemSelected(), from: "/shop").outcome
            guard case .caught(let failure, by: "/shop") = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failure.message == "nothing is left")
        }
    }

    @Test func `an error thrown by an error responder has the handled error as its cause`()
        async throws
    {
        let journal = Journal()
        let outcome = try await outcome(of: OutOfStock()) {
            Node("shop") {
                Node("shelf").handleError(OutOfStock.self) { _ in throw SoldOut() }
            }
            .handleError { error in
                await journal.note("\(error.name) \(error.causes.map { "\($0.name)" })")
            }
        }
        guard case .caught(let failure, by: "/shop") = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.name.description == "SoldOut")
        #expect(await journal.entries == [#"SoldOut ["OutOfStock"]"#])
    }

    @Test func `an error passed on unchanged keeps its title and payload`() async throws {
        let journal = Journal()
        let outcome = try await outcome(of: PaperJam(tray: 5)) {
            Node("shop") {
                Node("shelf").transformError { $0 }
            }
            .handleError { error in
                let tray = try error.decoded(as: PaperJam.self).tray
                await journal.note("\(error.title ?? "") \(tray)")
            }
        }
        #expect(outcome == .handled(by: "/shop"))
        #expect(await journal.entries == ["Paper jam 5"])
    }

    // MARK: - Kinds

    @Test func `a catch replaces the error by an event, which continues from there`() async throws {
        let journal = Journal()
        let outcome = try await outcome(of: OutOfStock(item: 2)) {
            Node("shop") {
                Node("shelf").catchError(OutOfStock.self) { ShowSignIn(reason: "item \($0.item)") }
            }
            .handle(ShowSignIn.self) { await journal.note($0.reason) }
        }
        #expect(outcome == .handled(by: "/shop"))
        #expect(await journal.entries == ["item 2"])
    }

    @Test func `a catch without a type applies to errors of every name`() async throws {
        let outcome = try await outcome(of: SoldOut()) {
            Node("shop") {
                Node("shelf").catchError { ShowSignIn(reason: $0.name.description) }
            }
            .receive(ShowSignIn.self) { $0.reason == "SoldOut" ? .handled : .notHandled }
        }
        #expect(outcome == .handled(by: "/shop"))
    }

    @Test func `a transform replaces an error by another error`() async throws {
        let outcome = try await outcome(of: SoldOut()) {
            Node("shop") {
                Node("shelf")
                    .receiveError { _ in .notHandled }
                    .transformError { _ in OutOfStock(item: 1) }
                    .transformError(OutOfStock.self) { OutOfStock(item: $0.item + 1) }
            }
            .receiveError(OutOfStock.self) { $0.item == 2 ? .handled : .notHandled }
        }
        #expect(outcome == .handled(by: "/shop"))
    }
}

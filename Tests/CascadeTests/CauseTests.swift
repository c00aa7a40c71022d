// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The causes of messages: each message raised while another is handled has that one as its cause.
@Suite(.timeLimit(.minutes(1))) struct CauseTests {
    @Environment(\.triggerEvent) private var triggerEvent
    @Environment(\.publisher) private var publisher
    @Environment(\.visit) private var visit

    @Test func `a message raised while another is handled has one cause more`() async throws {
        @Environment(\.request) var request
        @Environment(\.reportError) var reportError
        @Environment(\.cascade) var cascade
        let journal = Journal()
        let note: @Sendable (AnyEvent) async -> Void = {
            await journal.note("\($0.name) \(visit?.causeCount ?? -1)")
        }
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").handle(ItemSelected.self) { _ in
                    await journal.note("ItemSelected \(visit?.causeCount ?? -1)")
                    _ = try await triggerEvent(PriceChanged()).outcome
                    _ = try? await request(PriceOf())
                    _ = try await cascade(PriceChanged()).outcome
                    _ = try await reportError(OutOfStock()).outcome
                }
            }
            .observe(note)
            .handleError { _ in await journal.note("error \(visit?.causeCount ?? -1)") }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/shop/shelf").outcome
        }
        #expect(
            await journal.entries == [
                "ItemSelected 0", "PriceChanged 1", "PriceOf 1", "PriceChanged 1", "error 1",
            ])
    }

    @Test func `a loop of events and publications ends with the outcome looped`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").subscribe(to: PriceChanged.self) { _ in
                    let outcome = try await triggerEvent(ItemSelected()).outcome
                    if case .looped = outcome {
                        await journal.note("looped")
                    }
                }
                .concurrency(64)
            }
            // Each handler waits for the next one.
            .concurrency(64)
            .handle(ItemSelected.self) { _ in
                let outcome = try await publisher(for: PriceChanged.self)(PriceChanged())
                if case .failed(let failure) = outcome {
                    await journal.note("\(failure.name)")
                }
            }
        }
        try await bus.run { bus in
            let outcome = try await bus.trigger(ItemSelected(), from: "/shop").outcome
            #expect(outcome == .handled(by: "/shop"))
        }
        #expect(await journal.entries == ["looped"])
    }

    @Test func `a held event is handled by a responder that attaches later`() async throws {
        let bus = LoopbackBus { Node("shop") }
        try await bus.run { bus in
            let raised = try await bus.trigger(ItemSelected(), from: "/shop", hold: .seconds(60))
            try await bus.attach(mount: "/shop") {
                Node("shelf").handle(ItemSelected.self) { _ in }
            }
            try await bus.process(at: "/shop").leave()
            try await bus.attach { Node("shop").handle(ItemSelected.self) { _ in } }
            #expect(try await raised.outcome == .handled(by: "/shop"))
        }
    }
}

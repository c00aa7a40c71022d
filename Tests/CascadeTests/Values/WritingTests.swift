// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Values whose owner accepts writes.
@Suite(.timeLimit(.minutes(1))) struct WritingTests {
    @Environment(\.write) private var write

    private struct TooMany: ReportableError {
        let copies: Int
    }

    private let journal = Journal()

    /// A node that writes the published values and records the results.
    private var writer: Node {
        let journal = journal
        return Node("writer").watch(\.copies)
            .subscribe(to: PriceChanged.self) { change in
                do {
                    let accepted = try await write(\.copies, change.price)
                    await journal.note("accepted \(accepted)")
                } catch let error as AnyError {
                    await journal.note("refused \(error.name)")
                } catch {
                    await journal.note("\(error)")
                }
            }
            .onChange(of: \.copies) { _, new in await journal.note("reads \(new)") }
    }

    private func owner() -> Node {
        Node("shop") { writer }
            .environment(
                \.copies, 1,
                onWrite: { copies in
                    guard copies <= 100 else {
                        throw TooMany(copies: copies)
                    }
                    return min(copies, 10)
                })
    }

    @Test func `a write is answered by the owner and read as the new value`() async throws {
        try await LoopbackBus(mount: .root) { owner() }.run { bus in
            try await bus.publish(PriceChanged(price: 4))
            #expect(try await journal.entries(2).sorted() == ["accepted 4", "reads 4"])
            #expect(try await bus.control.value(of: \.copies, at: "/shop/writer") == 4)
        }
    }

    @Test func `the owner may set another value or refuse the write`() async throws {
        try await LoopbackBus(mount: .root) { owner() }.run { bus in
            try await bus.publish(PriceChanged(price: 40))
            #expect(try await journal.entries(2).sorted() == ["accepted 10", "reads 10"])
            try await bus.publish(PriceChanged(price: 400))
            #expect(try await journal.entries(3).last == "refused TooMany")
            #expect(try await bus.control.value(of: \.copies, at: "/shop/writer") == 10)
        }
    }

    @Test func `a write to a value without an owner is unhandled`() async throws {
        let bus = LoopbackBus(mount: .root) { Node("shop") { writer } }
        try await bus.run { bus in
            try await bus.publish(PriceChanged(price: 4))
            #expect(try await journal.entries(1) == ["\(RequestError.unhandled)"])
        }
    }
}

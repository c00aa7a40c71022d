// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

struct BookWanted: Event {
    let title: String
}

struct Library: Worker {
    static let mount: NodePath = "/town"

    var body: [Node] {
        Node("library") {
            Node("shelf").receive(BookWanted.self) { wanted in
                wanted.title == "Emma" ? .handled : .notHandled
            }
        }
        .handle(BookWanted.self) { await order() }
    }

    private func order() async {}
}

@Suite struct LibraryTests {
    @Test func `the library handles an event about a book that is not on the shelf`() async throws {
        let bus = LoopbackBus { Library() }
        try await bus.run { bus in
            let shelf: NodePath = "/town/library/shelf"
            let emma = try await bus.trigger(BookWanted(title: "Emma"), from: shelf)
            #expect(try await emma.outcome == .handled(by: shelf))
            let other = try await bus.trigger(BookWanted(title: "Walden"), from: shelf)
            #expect(try await other.outcome == .handled(by: "/town/library"))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

struct CustomerCame: Event {
    let name: String
}

struct Busyness: EnvironmentKey {
    static let defaultValue = 0
}

extension EnvironmentValues {
    // Key paths are read on any thread.
    nonisolated var busyness: Int {
        self[Busyness.self]
    }
}

/// State of the main actor.
final class GuestBook {
    var names: [String] = []
}

struct Counter: NodeConvertible {
    let book: GuestBook

    @Environment(\.busyness) var busyness

    var node: Node {
        Node("counter") {
            Node("door")
        }
        .handle(CustomerCame.self) { event in
            await write(event)
        }
    }

    // The type itself is not isolated, as its protocol requires.
    @MainActor func write(_ event: CustomerCame) {
        book.names.append("\(event.name) \(busyness)")
    }
}

struct Shop: Worker {
    private let book = GuestBook()

    var body: [Node] {
        Counter(book: book)
    }
}

/// This target is isolated to the main actor by default.
@Suite(.timeLimit(.minutes(1))) struct MainActorTests {
    @Test func `a node of a target with main-actor isolation uses the state of the main actor`()
        async throws
    {
        let book = GuestBook()
        try await LoopbackBus(mount: .root) { Counter(book: book) }.run { bus in
            let came = try await bus.trigger(CustomerCame(name: "Ada"), from: "/counter/door")
            #expect(try await came.outcome == .handled(by: "/counter"))
        }
        #expect(book.names == ["Ada 0"])
    }
}

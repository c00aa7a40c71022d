// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Values derived by rules, as nodes read them.
@Suite(.timeLimit(.minutes(1))) struct RuleReadingTests {
    private let journal = Journal()

    private func clerk(_ name: String) -> Node {
        let journal = journal
        return Node(name)
            .onChange(of: \.copies, initial: true) { _, new in
                await journal.note("\(name) \(new)")
            }
    }

    @Test func `a rule derives a value for each reader, and again when its inputs change`()
        async throws
    {
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                clerk("ada")
                clerk("bob")
            }
            .rules {
                \.nodeName == "ada" => \.copies <= 2
                \.isOpen == false => \.copies <= 3
                (\.copies <= 4).priority(.low)
            }
        }
        try await bus.run { bus in
            #expect(try await journal.entries(2).sorted() == ["ada 2", "bob 4"])
            try await bus.control.set(\.isOpen, false, at: "/shop")
            #expect(try await journal.entries(3).last == "bob 3")
            try await bus.control.set(\.copies, 9, at: "/shop")
            #expect(try await journal.entries(5).suffix(2).sorted() == ["ada 9", "bob 9"])
        }
    }

    @Test func `built-in values of the node, the bus and the host have key paths`() async throws {
        let journal = journal
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("clerk")
                    .watch(
                        \.nodePath, \.nodeName, \.nodeDepth, \.nodeUserID, \.nodeUnit, \.busName,
                        \.hostName
                    )
                    .handle(ItemSelected.self) { _ in
                        let here = EnvironmentValues.current
                        await journal.note("\(here.nodePath) \(here.nodeName) \(here.nodeDepth)")
                        await journal.note("\(here.nodeUserID) '\(here.nodeUnit)'")
                        await journal.note("\(here.busName) '\(here.hostName)'")
                    }
            }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/shop/clerk").outcome
            let found = try await journal.entries(3)
            #expect(found[0] == "/shop/clerk clerk 2")
            #expect(found[1] == "0 ''")
            #expect(found[2] == "loopback ''")
        }
    }

    @Test func `a node with a malformed rule is refused`() async throws {
        let bus = LoopbackBus { Node("office") }
        try await bus.run { bus in
            await #expect {
                try await bus.attach { Node("shop").rules(Rules("copies <=\n")) }
            } throws: {
                let error = $0 as? CascadeError
                return error?.reason == .badRule && error?.exitStatus == 78
            }
        }
    }

    @Test func `rules of a file apply everywhere, after those of nodes`() async throws {
        let bus = LoopbackBus(mount: .root) {
            Node("shop") { clerk("ada") }.rules { \.isOpen => \.copies <= 2 }
        }
        try await bus.run { bus in
            #expect(try await journal.entries(1) == ["ada 1"])
            try await bus.load(
                Rules {
                    \.isOpen <= true
                    \.copies <= 7
                })
            #expect(try await journal.entries(2).last == "ada 2")
            try await bus.load(Rules { \.copies <= 7 })
            #expect(try await journal.entries(3).last == "ada 7")
        }
    }
}

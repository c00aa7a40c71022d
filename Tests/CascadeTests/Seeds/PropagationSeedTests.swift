// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The examples of the article on advanced environment propagation, ported: tabs, sheets and navigation.
@Suite(.timeLimit(.minutes(1))) struct PropagationSeedTests {
    enum Color: String, Codable, Sendable {
        case black, red
    }

    /// The names of the nodes that read red, of those below `/fs`.
    private func red(_ root: Node) async throws -> Set<String> {
        try await LoopbackBus(mount: .root) { root }.run { bus in
            await bus.advance(by: .zero)
            var names: Set<String> = []
            for path in try await bus.nodes {
                if try await bus.control.value(of: \.foregroundColor, at: path) == .red {
                    names.insert(path.name)
                }
            }
            return names
        }
    }

    // MARK: - Tabs

    private func tabs(_ second: (Node) -> Node = { $0 }) -> Node {
        Node("tabs") {
            Node("first") { Node("label-1") }
            second(Node("second") { Node("label-2") })
        }
    }

    @Test func `a color set on one tab reaches that tab and its descendants alone`() async throws {
        let names = try await red(
            Node("fs") {
                tabs { $0.environment(\.foregroundColor, .red, scope: .itself) }
            })
        #expect(names == ["second", "label-2"])
    }

    @Test func `a color set on the tabs reaches all of them`() async throws {
        let names = try await red(
            Node("fs") { tabs().environment(\.foregroundColor, .red, scope: .itself) })
        #expect(names == ["tabs", "first", "label-1", "second", "label-2"])
    }

    // MARK: - Sheets

    /// A node that presents a sheet in front of its button.
    private func anchor(
        _ button: Node = Node("button"), _ sheet: Node = Node("sheet")
    ) -> Node {
        Node("anchor") { button }.task {
            try await EnvironmentValues.current.present(sheet)
        }
    }

    @Test func `a color set around the anchor reaches button and sheet`() async throws {
        let names = try await red(Node("fs") { anchor() }.environment(\.foregroundColor, .red))
        #expect(names == ["anchor", "button", "sheet"])
    }

    @Test func `a color set on the content of the anchor does not reach the sheet`() async throws {
        let onButton = try await red(
            Node("fs") {
                anchor(Node("button").environment(\.foregroundColor, .red, scope: .itself))
            })
        #expect(onButton == ["button"])
        // For the nodes below the anchor: the sheet reads what the anchor itself reads.
        let inAnchor = try await red(
            Node("fs") { anchor().environment(\.foregroundColor, .red) })
        #expect(inAnchor == ["button"])
    }

    @Test func `a color set on the sheet does not reach the button`() async throws {
        let names = try await red(
            Node("fs") {
                anchor(
                    Node("button"),
                    Node("sheet").environment(\.foregroundColor, .red, scope: .itself))
            })
        #expect(names == ["sheet"])
    }

    // MARK: - Navigation

    /// A navigation whose root pushes a node, which pushes another.
    private func navigation(_ modify: @escaping @Sendable (Node) -> Node = { $0 }) -> Node {
        Node("navigation") {
            Node("root").environment(\.foregroundColor, .red, scope: .itself).task {
                try await EnvironmentValues.current.push(
                    modify(
                        Node("first").task {
                            try await EnvironmentValues.current.push(modify(Node("second")))
                        }))
            }
        }
    }

    @Test func `pushed nodes are siblings, so the color of the node that pushes does not apply`()
        async throws
    {
        try await LoopbackBus(mount: .root) { navigation() }.run { bus in
            await bus.advance(by: .zero)
            let nodes = try await bus.nodes
            #expect(
                Set(nodes) == [
                    "/navigation", "/navigation/root", "/navigation/first", "/navigation/second",
                ])
        }
        #expect(try await red(Node("fs") { navigation() }) == ["root"])
    }

    @Test func `a color set on each destination, or on the navigation, reaches the pushed nodes`()
        async throws
    {
        let each = try await red(
            Node("fs") {
                navigation { $0.environment(\.foregroundColor, .red, scope: .itself) }
            })
        #expect(each == ["root", "first", "second"])
        let around = try await red(
            Node("fs") { navigation().environment(\.foregroundColor, .red) })
        #expect(around == ["root", "first", "second"])
    }
}

private struct ForegroundColorKey: EnvironmentKey {
    static let defaultValue = PropagationSeedTests.Color.black
}

extension EnvironmentValues {
    fileprivate var foregroundColor: PropagationSeedTests.Color {
        get { self[ForegroundColorKey.self] }
        set { self[ForegroundColorKey.self] = newValue }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeWire

extension Buses {
    /// `{found, more, away}`: rows `[bus, path, state, unit or program]` in the order of the buses and of
    /// their trees, whether there are more, and the buses of which only the last state before they were away
    /// is known.
    ///
    /// A bus that has not told all of its tree is asked for a path that is sought.
    func find(_ search: NodeSearch) async -> JSONValue {
        var rows: [JSONValue] = []
        var away: [JSONValue] = []
        var hasMore = false
        for bus in all where search.includes(bus: bus.name) {
            let view = await bus.console.view
            if view.connection != .live {
                away.append(.string(bus.name))
            }
            let found = view.nodes.all.filter(search.matches).sorted { $0.number < $1.number }
            let room = NodeSearch.foundMax - rows.count
            hasMore = hasMore || found.count > room
            rows += found.prefix(room).map { Self.row($0.path, $0.appearance, of: bus) }
            guard !hasMore else {
                break
            }
            if let path = search.path, view.tree.depth != nil, view.tree.numbers[path] == nil,
                rows.count < NodeSearch.foundMax, let node = await bus.session.node(at: path)
            {
                rows.append(Self.row(path, ShownNode.Appearance(node, user: nil), of: bus))
            }
        }
        return .members([
            "found": .array(rows), "more": hasMore ? true : nil,
            "away": away.isEmpty ? nil : .array(away),
        ])
    }

    private static func row(
        _ path: NodePath, _ appearance: ShownNode.Appearance, of bus: ShownBus
    ) -> JSONValue {
        .array([
            .string(bus.name), .text(path), .string(appearance.state.name),
            .string(appearance.unit.isEmpty ? appearance.program : appearance.unit),
        ])
    }
}

extension BusSession {
    /// Returns a node for which the bus is asked; `nil` if it does not tell it.
    fileprivate func node(at path: NodePath) async -> NodeSnapshot? {
        guard let message = try? await link().query(.tree(path: path, depth: 0)) else {
            return nil
        }
        return try? TreeAnswer(parsing: message).nodes.first
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// Completion with names and paths on the bus.
extension CompletionKind {
    /// The paths of nodes.
    static let nodes = onBus { bus, line in
        guard let parent = line.parent else {
            return []
        }
        return try await bus.nodes(from: parent).map(\.path.description)
    }

    /// Returns the names that a responder or declaration has in the lane of the line, or in the
    /// given one.
    static func raisedNames(_ lane: Lane? = nil) -> CompletionKind {
        onBus { bus, line in
            let lane = lane ?? line.lane ?? .event
            return try await bus.nodes().flatMap { node in
                let declared = lane == .error ? node.reports : node.triggers
                let responded = node.responders.filter { $0.kind.sees(lane) }.compactMap(\.name)
                return (responded + (declared ?? [])).map(\.description)
            }
        }
    }

    /// The names with subscriptions.
    static let publishedNames = onBus { bus, _ in
        try await bus.nodes().flatMap { $0.subscriptions.map(\.description) }
    }

    /// The keys that have a value at the line's path.
    static let keys = onBus { bus, line in
        let message = try await bus.link.query(.environment(path: line.path, key: nil))
        return ValuesDocument(json: try JSONValue(answer: message)).values.map(\.key)
    }

    /// The IDs of undelivered messages.
    static let undelivered = onBus { bus, _ in
        let message = try await bus.link.query(.undelivered)
        let all = UndeliveredDocument(json: try JSONValue(answer: message))
        return all.entries.compactMap { $0["id"]?.string }
    }

    /// Returns candidates from the bus of the line. If no bus answers within a second, there are
    /// none, and no error is printed.
    private static func onBus(
        _ candidates: @escaping @Sendable (Bus, CompletedLine) async throws -> [String]
    ) -> CompletionKind {
        .custom { words, _, prefix in
            let line = CompletedLine(words: words, prefix: prefix)
            let found = try? await line.bus.withBus(limit: patience, isFinal: true) { bus in
                try await candidates(bus, line)
            }
            let sorted = Set(found ?? []).sorted()
            // In zsh, a colon begins a description.
            return CompletionShell.requesting == .zsh
                ? sorted.map { $0.replacing(":", with: "\\:") } : sorted
        }
    }

    private static let patience = TimeSpan(milliseconds: 1_000)
}

extension Bus {
    fileprivate func nodes(from path: NodePath = .root) async throws -> [NodeSnapshot] {
        try TreeAnswer(parsing: await link.query(.tree(path: path, depth: .max))).nodes
    }
}

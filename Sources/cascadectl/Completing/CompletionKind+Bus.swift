// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// What stands on the bus can be completed.
extension CompletionKind {
    /// Paths of nodes.
    static let nodes = onBus { bus, line in
        guard let parent = line.parent else {
            return []
        }
        return try await bus.nodes(from: parent).map(\.path.description)
    }

    /// Names that somebody would see if they were raised in the line's lane, or in this one.
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

    /// Names that somebody has subscribed to.
    static let publishedNames = onBus { bus, _ in
        try await bus.nodes().flatMap { $0.subscriptions.map(\.description) }
    }

    /// Keys that have a value where the line looks.
    static let keys = onBus { bus, line in
        let message = try await bus.link.query(.environment(path: line.path, key: nil))
        return ValuesDocument(json: try JSONValue(answer: message)).values.map(\.key)
    }

    /// Events that nobody handled.
    static let undelivered = onBus { bus, _ in
        let message = try await bus.link.query(.undelivered)
        let all = UndeliveredDocument(json: try JSONValue(answer: message))
        return all.entries.compactMap { $0["id"]?.string }
    }

    /// Asks the bus of the line. Somebody waits at a prompt: where there is no bus, or none that
    /// answers soon, there is nothing to choose from, and nothing is said.
    private static func onBus(
        _ candidates: @escaping @Sendable (Bus, CompletedLine) async throws -> [String]
    ) -> CompletionKind {
        .custom { words, _, prefix in
            let line = CompletedLine(words: words, prefix: prefix)
            let found = try? await line.bus.withBus(limit: patience, isFinal: true) { bus in
                try await candidates(bus, line)
            }
            let sorted = Set(found ?? []).sorted()
            // What stands behind a colon is a description to zsh.
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

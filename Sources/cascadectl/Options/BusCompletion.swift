// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection

/// The completion of arguments with names and paths on the bus.
extension CompletionKind {
    /// The paths of nodes.
    static let nodes = onBus { bus, line in
        guard let parent = line.parent else {
            return []
        }
        return try await bus.nodes(from: parent).map(\.path.description)
    }

    /// Returns the completion with names that responders and declarations of a lane contain.
    ///
    /// - Parameter lane: The lane; by default that of the command in the line.
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
        try await bus.nodes().flatMap { $0.subscribedNames.map(\.description) }
    }

    /// The keys that have a value at the line's path; at any node if the line has no path yet.
    static let keys = onBus { bus, line in
        guard let path = line.path else {
            return try await bus.keysOfNodes()
        }
        return try await bus.keys(at: path)
    }

    /// The IDs of undelivered messages.
    static let undelivered = onBus { bus, _ in
        let message = try await bus.link.query(.undelivered)
        return try UndeliveredDocument(answer: message).undelivered.map(\.id.description)
    }

    /// The names of the sites that this bus's own site knows.
    static let sites = onBus { bus, _ in
        try await bus.sites(knownAt: .root).sites.map(\.name)
    }

    /// Returns the completion with candidates from the line's bus. Without an answer within a
    /// second, it offers none and prints no error.
    private static func onBus(
        _ candidates: @escaping @Sendable (Bus, CompletedLine) async throws -> [String]
    ) -> CompletionKind {
        .custom { words, _, prefix in
            let line = CompletedLine(words: words, prefix: prefix)
            let found = try? await line.bus.withBus(limit: timeLimit, isFinal: true) { bus in
                try await candidates(bus, line)
            }
            let sorted = Set(found ?? []).sorted()
            // In zsh a colon begins a description.
            return CompletionShell.requesting == .zsh
                ? sorted.map { $0.replacing(":", with: "\\:") } : sorted
        }
    }

    private static let timeLimit = TimeSpan(milliseconds: 1_000)
}

extension Bus {
    /// The number of nodes whose keys are completed, so that a large tree is answered in time.
    private static let completedNodesMax = 64

    fileprivate func keys(at path: NodePath) async throws -> [String] {
        let message = try await link.query(.environment(path: path, key: nil))
        return try EnvironmentDocument(answer: message).values.map(\.key.description)
    }

    /// Returns the keys with a value at the root or a node without children, which reads the values
    /// of all nodes above it.
    fileprivate func keysOfNodes() async throws -> [String] {
        let leaves = try await nodes().filter { $0.path.isRoot || $0.childCount == 0 }
        var keys: [String] = []
        for node in leaves.prefix(Self.completedNodesMax) {
            keys += (try? await self.keys(at: node.path)) ?? []
        }
        return keys
    }
}

// MARK: - The command line

/// The incomplete command line that the shell asks to complete.
struct CompletedLine: Sendable {
    private let words: [String]
    /// The text before the cursor of the value to complete.
    private let prefix: String

    init(words: [String], prefix: String) {
        // Fish passes an option and its value, joined by an equals sign, as one word.
        let isOption = prefix.hasPrefix("--")
        let equals = isOption ? prefix.firstIndex(of: "=") : nil
        self.words = words
        self.prefix = equals.map { String(prefix[prefix.index(after: $0)...]) } ?? prefix
    }

    /// The line's options for the bus.
    var bus: BusOptions {
        var options = BusOptions()
        options.bus = value(of: "--bus")
        options.serverKey = value(of: "--server-key")
        options.keyFile = value(of: "--key-file")
        return options
    }

    /// The lane of the message that the line's command raises; `nil` if it raises none.
    var lane: Lane? {
        words.dropFirst().lazy.compactMap { Self.lanes[$0] }.first
    }

    /// The value of `--at`; `nil` if the line has none, or an invalid one.
    var path: NodePath? {
        value(of: "--at").flatMap { try? NodePath($0) }
    }

    /// The parent of the path to complete; `nil` if the text before its last slash is no path.
    var parent: NodePath? {
        guard let slash = prefix.lastIndex(of: "/"), slash != prefix.startIndex else {
            return .root
        }
        return try? NodePath(String(prefix[..<slash]))
    }

    private func value(of option: String) -> String? {
        for (index, word) in words.enumerated() {
            if word == option, index + 1 < words.count {
                return words[index + 1]
            }
            if word.hasPrefix(option + "=") {
                return String(word.dropFirst(option.count + 1))
            }
        }
        return nil
    }

    private static let lanes: [String: Lane] = [
        "trigger": .event, "report": .error, "request": .request, "cascade": .cascade,
    ]
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
package import CascadeWire

/// Suggestions of paths and keys that exist on the bus.
extension Bus {
    /// Returns an error of the bus with the nearest path or key that exists; other errors unchanged.
    func suggesting(_ error: CascadeError) async -> CascadeError {
        let quoted = error.message.quotedWords
        let suggestions: [String]
        switch error.reason {
        case .noSuchNode:
            suggestions = await nearestPaths(to: ownName(of: quoted.first ?? ""))
                .compactMap { try? NodePath($0) }
                .map { shownName(of: $0).description }
        case .noSuchKey:
            suggestions = await nearestKeys(
                to: quoted.first ?? "", at: ownName(of: quoted.last ?? ""))
        default: return error
        }
        // A key that is only not set from outside may have a value there.
        let place =
            suggestions.isEmpty && error.message.contains("has no value")
            ? await placeOfValue(of: quoted.first ?? "") : ""
        return CascadeError(
            error.code, shown(error.message) + Spelling.question(suggestions) + place,
            reason: error.reason)
    }

    /// Returns a refusal, which has the names of this bus, in those that the command uses.
    private func shown(_ refusal: String) -> String {
        guard let asked, asked.isOption else {
            return refusal
        }
        return refusal.renamingPlaces { asked.place.contains($0) ? asked.place.relative($0) : $0 }
    }

    /// Returns a path of the bus that is asked in the names that the command uses.
    private func shownName(of path: NodePath) -> NodePath {
        guard let asked, !asked.isOption else {
            return path
        }
        return SitesAbove(of: nil).path(path, ofSiteAt: asked.place)
    }

    /// Returns the end of an error message that names a node with a value for a key; empty if no node
    /// has one.
    private func placeOfValue(of key: String) async -> String {
        guard let key = try? EventName(key),
            let message = try? await query(.environmentTree(key: key, path: .root)),
            let value = (try? KeyInTreeDocument(answer: message))?.values.first
        else {
            return ""
        }
        let path = shownName(of: value.path)
        return "; '\(path)' has one: use --at \(path)"
    }

    /// Returns the existing paths nearest to one that does not exist.
    func nearestPaths(to text: String) async -> [String] {
        guard let path = try? NodePath(text), let nodes = try? await nodes() else {
            return []
        }
        return PathSuggestion.nearest(to: path, among: nodes.map(\.path))
    }

    /// Returns the keys with a value at a path that are nearest to one without.
    func nearestKeys(to key: String, at path: String) async -> [String] {
        guard let path = try? NodePath(path),
            let message = try? await query(.environment(path: path, key: nil)),
            let environment = try? EnvironmentDocument(answer: message)
        else {
            return []
        }
        return KeySuggestion.nearest(to: key, among: environment.values.map(\.key.description))
    }

    /// Returns the name that the asked site has for its node at a path of this bus: a refusal of another site has the
    /// names of this bus.
    private func ownName(of text: String) -> String {
        guard let asked, let path = try? NodePath(text), asked.place.contains(path) else {
            return text
        }
        return asked.place.relative(path).description
    }

    /// Returns the nodes at and below a path.
    func nodes(from path: NodePath = .root) async throws -> [NodeSnapshot] {
        try TreeAnswer(parsing: await query(.tree(path: path, depth: .max))).nodes
    }
}

/// Suggestions for keys without a value.
enum KeySuggestion {
    /// The keys whose values come from the bus itself.
    private static let builtInKeys = [
        "node.path", "node.name", "node.depth", "node.uid", "node.unit", "bus.name", "host.name",
    ]

    /// Returns the keys nearest to one that is not among them.
    static func nearest(to key: String, among keys: [String]) -> [String] {
        Spelling.nearest(to: key, among: keys + builtInKeys)
    }
}

/// Suggestions for paths without a node.
package enum PathSuggestion {
    /// Returns the paths nearest to one that is not among them: misspelt ones, or else those of the
    /// same name at another place.
    package static func nearest(to path: NodePath, among paths: [NodePath]) -> [String] {
        let existing = paths.filter { !$0.isRoot }
        let near = Spelling.nearest(
            to: path.description, among: existing.map(\.description))
        let nearOfSameDepth = near.filter { text in
            (try? NodePath(text))?.depth == path.depth
        }
        if !nearOfSameDepth.isEmpty {
            return nearOfSameDepth
        }
        let namesakes = existing.filter { $0.name == path.name }.map(\.description)
        return namesakes.isEmpty ? near : Array(namesakes.sorted().prefix(3))
    }
}

extension String {
    /// The words in single quotes.
    fileprivate var quotedWords: [String] {
        let parts = split(separator: "'", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count - 1, by: 2).map { String(parts[$0]) }
    }
}

// MARK: - Unanswered names

/// The reason why no node has taken a message, as far as its name and place tell.
package struct NameSuggestion {
    /// A sentence for people.
    package let sentence: String

    private init(_ sentence: String) {
        self.sentence = sentence
    }

    /// Creates a suggestion for a message that no node has handled.
    ///
    /// - Parameters:
    ///   - origin: The place that the message visited first.
    ///   - nodes: All nodes of the bus.
    package init?(
        unhandled name: EventName, _ lane: Lane, from origin: NodePath, nodes: [NodeSnapshot]
    ) {
        if let unrouted = Self(unrouted: name, lane, from: origin, nodes: nodes) {
            self = unrouted
        } else if Takers(nodes, lane).paths(of: name).contains(where: { $0.contains(origin) }) {
            let lane = lane == .event ? "" : " --lane \(lane.name)"
            self.init("'cascadectl route \(name) --from \(origin)\(lane)' shows why")
        } else {
            return nil
        }
    }

    /// Creates a suggestion for a message that would visit no node; `nil` if a responder for its
    /// name is at or above its origin.
    package init?(
        unrouted name: EventName, _ lane: Lane, from origin: NodePath, nodes: [NodeSnapshot]
    ) {
        let sentence = Takers(nodes, lane).sentence(
            name, verb: lane == .request ? .answer : .handle, option: "--from",
            isReached: { $0.contains(origin) })
        guard let sentence else {
            return nil
        }
        self.init(sentence)
    }

    /// Creates a suggestion for a publication without a subscriber.
    package init?(unsubscribed name: EventName, at publisher: NodePath, nodes: [NodeSnapshot]) {
        let takers = Takers(nodes.map { ($0.path, $0.subscribedNames) })
        guard
            let sentence = takers.sentence(
                name, verb: .subscribe, option: "--at",
                isReached: { publisher.contains($0) })
        else {
            return nil
        }
        self.init(sentence)
    }

    /// What a node does with the messages that it takes.
    private struct Verb {
        let singular: String
        let plural: String

        static let answer = Verb(singular: "answers", plural: "answer")
        static let handle = Verb(singular: "handles", plural: "handle")
        static let subscribe = Verb(singular: "subscribes to", plural: "subscribe to")
    }

    /// The nodes with the names that they take.
    private struct Takers {
        private let entries: [(path: NodePath, names: [EventName])]
        private static let shownMax = 3

        init(_ entries: [(NodePath, [EventName])]) {
            self.entries = entries
        }

        init(_ nodes: [NodeSnapshot], _ lane: Lane) {
            self.init(
                nodes.map { node in
                    (node.path, node.responders.filter { $0.takes(lane) }.compactMap(\.name))
                })
        }

        func paths(of name: EventName) -> [NodePath] {
            entries.filter { $0.names.contains(name) }.map(\.path)
        }

        /// Returns a sentence that names the nodes that take `name`, or else the nearest name. `nil`
        /// if a node that takes it is reached, or there is nothing to suggest.
        func sentence(
            _ name: EventName, verb: Verb, option: String, isReached: (NodePath) -> Bool
        ) -> String? {
            let paths = paths(of: name)
            guard !paths.contains(where: isReached) else {
                return nil
            }
            if let first = paths.first {
                let shown = paths.prefix(Self.shownMax).map { "'\($0)'" }.joined(separator: ", ")
                let others = paths.count - Self.shownMax
                let more = others > 0 ? " (and \(others) more)" : ""
                let many = paths.count > 1
                return "\(shown)\(more) \(many ? verb.plural : verb.singular) '\(name)': use "
                    + "\(option) \(first)"
            }
            let known = Set(entries.flatMap(\.names)).map(\.description)
            guard let nearest = Spelling.nearest(to: name.description, among: known).first,
                let nearestName = try? EventName(nearest)
            else {
                return nil
            }
            let nearestPaths = self.paths(of: nearestName)
            let place =
                nearestPaths.contains(where: isReached)
                ? "" : nearestPaths.first.map { " with \(option) \($0)" } ?? ""
            return "no node \(verb.singular) '\(name)'; did you mean '\(nearest)'\(place)?"
        }
    }
}

extension ResponderDeclaration {
    /// Whether the responder can end a message of the lane.
    fileprivate func takes(_ lane: Lane) -> Bool {
        kind.sees(lane) && kind != .observe
    }
}

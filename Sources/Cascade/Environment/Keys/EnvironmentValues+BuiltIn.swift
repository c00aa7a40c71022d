// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// Keys that the bus itself sets for each node, for use in rules. Nodes cannot set them.
extension EnvironmentValues {
    /// The path of the node that reads.
    public var nodePath: String { self[NodePathKey.self] }

    /// The last component of the node's path.
    public var nodeName: String { self[NodeNameKey.self] }

    /// The number of components in the node's path.
    public var nodeDepth: Int { self[NodeDepthKey.self] }

    /// The user ID of the node's process.
    public var nodeUserID: Int { self[NodeUserIDKey.self] }

    /// The systemd unit of the node's process.
    public var nodeUnit: String { self[NodeUnitKey.self] }

    /// The name of the bus.
    public var busName: String { self[BusNameKey.self] }

    /// The name of the machine on which the bus runs.
    public var hostName: String { self[HostNameKey.self] }
}

private enum NodePathKey: EnvironmentKey {
    static let name = "node.path"
    static let defaultValue = ""
}

private enum NodeNameKey: EnvironmentKey {
    static let name = "node.name"
    static let defaultValue = ""
}

private enum NodeDepthKey: EnvironmentKey {
    static let name = "node.depth"
    static let defaultValue = 0
}

private enum NodeUserIDKey: EnvironmentKey {
    static let name = "node.uid"
    static let defaultValue = 0
}

private enum NodeUnitKey: EnvironmentKey {
    static let name = "node.unit"
    static let defaultValue = ""
}

private enum BusNameKey: EnvironmentKey {
    static let name = "bus.name"
    static let defaultValue = ""
}

private enum HostNameKey: EnvironmentKey {
    static let name = "host.name"
    static let defaultValue = ""
}

/// Why a key has the value that it has for a node: every candidate, in the order in which they were
/// looked at.
public struct Explanation<Value: Sendable>: Sendable {
    /// The value; `nil` if none is set and no rule gives one. Code then reads the key's default.
    public let value: Value?
    /// The sources that could have given the value, in the order in which they count.
    public var candidates: [ValueCandidate] {
        document.candidates
    }

    /// The whole document, whose JSON is that of `cascadectl env explain --json`.
    public let document: ExplanationDocument
}

extension Explanation where Value: Decodable {
    /// Throws ``CascadeError`` if the value in the document is not one of the key.
    init(_ document: ExplanationDocument, of key: ErasedKey) throws {
        self.document = document
        value = try document.value.map { value in
            try PayloadCodec.decode(
                Value.self, as: "value of '\(key.name)'", from: value.text.utf8,
                contentType: nil)
        }
    }
}

extension Explanation: CustomStringConvertible {
    /// The value and the source that gives it, in one line, with control characters escaped for
    /// terminals.
    public var description: String {
        let place = document.at.map { " at \($0)" } ?? ""
        let words = document.value.map { "is \($0.text)" } ?? "has no value"
        let winner = candidates.first { $0.won }.map { winner in
            let source = (winner.source ?? winner.from).map { " \($0)" } ?? ""
            return ": \(winner.kind.rawValue)\(source), \(winner.why)"
        }
        return "\(document.key) \(words)\(place)\(winner ?? "")".safeForTerminal
    }
}

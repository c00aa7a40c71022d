// SPDX-License-Identifier: Apache-2.0

public import CascadeWire

// Names, paths, IDs and times are strings in documents.

extension EventID: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed("the ID of a message") { EventID($0) }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self)
    }
}

extension EventName: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed("a name") { try? EventName($0) }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self)
    }
}

extension NodePath: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed("a path") { try? NodePath($0) }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self)
    }
}

extension SessionID: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed("the ID of a session") { SessionID($0) }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self)
    }
}

extension Timestamp: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed("a time in UTC with microseconds") { Timestamp($0) }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self)
    }
}

extension TraceParent: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed("a trace parent") { TraceParent($0) }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self)
    }
}

// MARK: - Cases

extension NodeState: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed("a state of a node") { NodeState(name: $0) }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(name)
    }
}

extension ResponderKind: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed("a kind of responder") { ResponderKind(name: $0) }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(name)
    }
}

extension Decoder {
    /// Reads a value from a string. Throws `DecodingError` if `parse` returns `nil`.
    fileprivate func parsed<Value>(_ expected: String, _ parse: (String) -> Value?) throws -> Value
    {
        let text = try singleValueContainer().decode(String.self)
        guard let value = parse(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath,
                    debugDescription: "expected \(expected), found '\(text.escapedForDisplay())'"))
        }
        return value
    }
}

extension Encoder {
    /// Writes a value as a string with its description.
    fileprivate func encode(_ value: some CustomStringConvertible) throws {
        var container = singleValueContainer()
        try container.encode(value.description)
    }
}

// MARK: - Errors

/// An error in a document: its name, its text for people, its node, and the error that led to it.
extension Failure: Codable {
    private enum CodingKeys: CodingKey {
        case name, message, title, node, cause
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var cause = try container.decodeIfPresent(Failure.self, forKey: .cause)
        let causes = cause?.causes ?? []
        cause?.causes = []
        self.init(
            name: try container.decode(EventName.self, forKey: .name),
            message: try container.decodeIfPresent(String.self, forKey: .message),
            title: try container.decodeIfPresent(String.self, forKey: .title),
            node: try container.decodeIfPresent(NodePath.self, forKey: .node),
            causes: (cause.map { [$0] } ?? []) + causes)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(message, forKey: .message)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encodeIfPresent(node, forKey: .node)
        try container.encodeIfPresent(cause, forKey: .cause)
    }
}

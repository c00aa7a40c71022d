// SPDX-License-Identifier: Apache-2.0

public import CascadeJSON
public import CascadeWire

/// The value of a key for a node.
public struct EnvironmentValueDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/env"

    public private(set) var schema = DocumentSchema<Self>()
    public var key: EventName
    public var value: JSONValue?
    /// The provenance: a path, or the file and line of a rule.
    public var from: String?
    /// How the value came about; `nil` from a daemon that does not tell.
    public var kind: DocumentWord<ValueKind>?
    /// The origin of a value of another bus, as a phrase.
    public var source: String?
    /// The time from which a value of another bus may have changed there unnoticed; `nil` if it is current.
    public var staleSince: Timestamp?

    public init(_ entry: EnvironmentEntry) {
        key = entry.key
        value = entry.value
        from = entry.from
        kind = entry.kind
        source = entry.source
        staleSince = entry.staleSince
    }
}

/// The keys that have a value for a node, in the order of their names.
public struct EnvironmentDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/env"

    public private(set) var schema = DocumentSchema<Self>()
    public var values: [EnvironmentEntry]

    public init(values: [EnvironmentEntry]) {
        self.values = values
    }

    /// The value of a key; `nil` if it has none.
    public subscript(key: EventName) -> JSONValue? {
        values.first { $0.key == key }?.value
    }
}

/// A key with its value and provenance.
public struct EnvironmentEntry: Codable, Hashable, Sendable {
    public var key: EventName
    public var value: JSONValue?
    /// The provenance: a path, or the file and line of a rule.
    public var from: String?
    /// How the value came about; `nil` from a daemon that does not tell.
    public var kind: DocumentWord<ValueKind>?
    /// The origin of a value of another bus, as a phrase.
    public var source: String?
    /// The time from which a value of another bus may have changed there unnoticed; `nil` if it is current.
    public var staleSince: Timestamp?

    public init(key: EventName, value: JSONValue?, from: String?) {
        self.key = key
        self.value = value
        self.from = from
    }
}

/// The ways in which a key has its value.
public enum ValueKind: String, NamedCase {
    /// A node or a command has set it.
    case set
    case rule
    /// A value of another bus, which is read where neither a value nor a rule gives one.
    case fallback
    /// The bus itself knows it.
    case builtIn
}

// MARK: - Provenance

/// Every candidate for the value of a key at a node, in the order in which the bus looks at them.
public struct ExplanationDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/explain"

    public private(set) var schema = DocumentSchema<Self>()
    public var key: EventName
    /// The node that reads the key; `nil` if the policy hides it.
    public var at: NodePath?
    /// The value; `nil` if no candidate gives one.
    public var value: JSONValue?
    public var candidates: [ValueCandidate]
}

/// A candidate for the value of a key.
public struct ValueCandidate: Codable, Hashable, Sendable {
    /// The kinds of candidates.
    public enum Kind: String, NamedCase {
        /// A value that a node or a command has set.
        case set
        case rule
        /// A value of another bus, which is read where neither a value nor a rule gives one.
        case fallback
        /// The default of the reader.
        case `default`
    }

    public var kind: DocumentWord<Kind>
    /// The path of the value, or the file and line of a rule.
    public var from: String?
    public var value: JSONValue?
    /// Whether it gives the key's value. If the default has won, the document has no value: only the
    /// reader knows its default.
    public var won: Bool
    /// The reason why it won or lost, as a phrase.
    public var why: String
    /// The time at which the value was set.
    public var since: Timestamp?
    /// The process and user that set the value, as a phrase.
    public var by: String?
    /// The origin of a value of another bus, as a phrase.
    public var source: String?
    /// The time from which a value of another bus may have changed there unnoticed; `nil` if it is current.
    public var staleSince: Timestamp?
}

extension ValueCandidate: CustomStringConvertible {
    /// The candidate in one line, as in `won: set /shop 2, it is the nearest value that is set`.
    public var description: String {
        let words = [kind.rawValue, source ?? from, value?.text].compactMap(\.self)
        return "\(won ? "won" : "lost"): \(words.joined(separator: " ")), \(why)".safeForTerminal
    }
}

// MARK: - Changes

/// A change of a value in a node's environment.
public struct EnvironmentChangeDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/envChange"

    public private(set) var schema = DocumentSchema<Self>()
    public var key: EventName
    /// The new value; `nil` if it was removed.
    public var value: JSONValue?
    /// The value before; `nil` for a new one.
    public var old: JSONValue?
    /// The provenance of the new value.
    public var from: String?
}

extension EnvironmentDocument {
    /// Returns the changes since an earlier document, removed values first.
    ///
    /// - Parameters:
    ///   - earlier: The document of the same node at an earlier time.
    ///   - key: The only key to compare; `nil` for all keys.
    public func changes(
        since earlier: EnvironmentDocument, of key: EventName? = nil
    ) -> [EnvironmentChangeDocument] {
        let before = earlier.byKey(key)
        let now = byKey(key)
        let removed = before.values.filter { now[$0.key] == nil }
            .sorted { $0.key.description < $1.key.description }
            .map { EnvironmentChangeDocument(key: $0.key, old: $0.value) }
        let changed = values.filter { entry in
            now[entry.key] != nil && before[entry.key]?.value != entry.value
        }
        return removed
            + changed.map { entry in
                EnvironmentChangeDocument(
                    key: entry.key, value: entry.value, old: before[entry.key]?.value,
                    from: entry.from)
            }
    }

    /// The entries that have a value, by their keys.
    private func byKey(_ key: EventName?) -> [EventName: EnvironmentEntry] {
        let wanted = values.filter { $0.value != nil && (key == nil || $0.key == key) }
        return Dictionary(wanted.map { ($0.key, $0) }) { $1 }
    }
}

// MARK: - Preferences

/// The preferences of a node and its subtree, each reduced to one value.
public struct PreferencesDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/preferences"

    public private(set) var schema = DocumentSchema<Self>()
    /// The node; `nil` if the policy hides it.
    public var path: NodePath?
    public var preferences: NamedMembers<JSONValue>
    /// The reducers of the keys; `nil` from a daemon that does not tell.
    public var reducers: NamedMembers<String>?

    public init(
        path: NodePath?, preferences: NamedMembers<JSONValue>, reducers: NamedMembers<String>? = nil
    ) {
        self.path = path
        self.preferences = preferences
        self.reducers = reducers
    }
}

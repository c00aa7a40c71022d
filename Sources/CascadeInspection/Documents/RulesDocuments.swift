// SPDX-License-Identifier: Apache-2.0

public import CascadeJSON
public import CascadeWire

/// The active rules: the files in the order in which they count, then the nodes' own.
public struct RulesDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/rules"

    public private(set) var schema = DocumentSchema<Self>()
    public var models: [RuleModelEntry]

    /// The names of the rules files.
    public var files: [String] {
        models.compactMap(\.file)
    }
}

/// The rules of a file or of a node.
public struct RuleModelEntry: Codable, Hashable, Sendable {
    /// The node at and below which the rules hold.
    public var at: NodePath
    /// The file; `nil` for a node's own rules.
    public var file: String?
    public var rules: [RuleEntry]
}

/// A rule that derives the value of a key.
public struct RuleEntry: Codable, Hashable, Sendable {
    /// The line in the file, or the position in the node's own rules, from 1.
    public var line: Int
    /// The rule in the syntax of rules files.
    public var rule: String
    /// The priority; of two rules the one with the greater number counts.
    public var priority: Int
}

// MARK: - Other rules

/// The values that would change if a rules file were active.
public struct RulesDifferenceDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/rulesDiff"

    public private(set) var schema = DocumentSchema<Self>()
    /// The name of the file that would be replaced or added.
    public var file: String
    public var changes: [RulesChange]
}

/// A value that another rules file would change.
public struct RulesChange: Codable, Hashable, Sendable {
    /// The node that reads the value.
    public var path: NodePath
    public var key: EventName
    /// The value now; `nil` for none.
    public var old: JSONValue?
    /// The value with the other rules; `nil` for none.
    public var new: JSONValue?
}

/// The faults in a rules file.
public struct RulesCheckDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/rulesCheck"

    public private(set) var schema = DocumentSchema<Self>()
    public var file: String
    /// The number of rules without a fault in their syntax.
    public var rules: Int
    public var errors: [FileFault]

    public init(file: String, rules: Int, errors: [FileFault]) {
        self.file = file
        self.rules = rules
        self.errors = errors
    }
}

/// A fault in a file.
public struct FileFault: Codable, Hashable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The column in characters, from 1.
    public var column: Int
    /// The fault as a sentence.
    public var message: String

    public init(line: Int, column: Int, message: String) {
        self.line = line
        self.column = column
        self.message = message
    }
}

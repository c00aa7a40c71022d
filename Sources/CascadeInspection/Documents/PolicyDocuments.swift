// SPDX-License-Identifier: Apache-2.0

public import CascadeWire

/// The rules of the active policy.
public struct PolicyDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/policy"

    public private(set) var schema = DocumentSchema<Self>()
    public var rules: [PolicyRuleEntry]
}

/// A rule of the policy.
public struct PolicyRuleEntry: Codable, Hashable, Sendable {
    /// The effects of rules.
    public enum Effect: String, NamedCase {
        case allow, deny
    }

    /// The file of the rule; `nil` for a rule of the default policy.
    public var file: String?
    /// The line of the rule, from 1.
    public var line: Int?
    /// The column of the rule in characters, from 1.
    public var column: Int?
    /// The rule in the syntax of policy files.
    public var rule: String
    public var effect: DocumentWord<Effect>
    /// The actions that the rule is about.
    public var verbs: [String]
    /// The pattern of the paths that the rule is about.
    public var covers: String
}

/// The decision of the policy about an action.
public struct PolicyTestDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/policyTest"

    public private(set) var schema = DocumentSchema<Self>()
    /// The action.
    public var verb: String
    /// The path of the action.
    public var path: NodePath
    /// The user ID of the subject.
    public var user: UInt32?
    /// The group IDs of the subject.
    public var groups: [UInt32]?
    /// The systemd unit of the subject.
    public var unit: String?
    /// The name of the subject's key.
    public var key: String?
    /// Whether the policy allows the action.
    public var allowed: Bool
    /// The reason as a sentence.
    public var why: String
    /// The rule that decides; `nil` if no rule applies.
    public var rule: PolicyRuleEntry?
    /// All rules for this subject that are about the action.
    public var rules: [PolicyRuleEntry]
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What a node declares about its subtree, and what has come to light about that.
struct SafetyDeclaration: Sendable {
    /// Numbers of names; `nil` where nothing is declared.
    var triggers: [NameIndex]?
    var reports: [NameIndex]?
    /// `nil` for what holds at the parent.
    var level: SafetyLevel?
    var requiresExplicitResponders: Bool?

    /// The account charged for its names.
    var account = AccountTable.own

    /// Undeclared names that were seen to pass, in the order in which they came, and the accounts of
    /// those who triggered what was called so.
    var undeclared: [EventName] = []
    var undeclaredBy: [AccountIndex] = []
    /// Declared names without a responder that a warning was written for.
    var warned: Set<DeclaredName> = []

    /// Maximum number of undeclared names remembered. No warning is written for names beyond it: a
    /// peer can make up any number of names.
    static let undeclaredMax: UInt32 = 256
    /// The most that are remembered for one user at all nodes.
    static let undeclaredPerUserMax = 4096

    var declaresNothing: Bool {
        triggers == nil && reports == nil && level == nil && requiresExplicitResponders == nil
    }

    /// Whether it looks at what passes it.
    var isGate: Bool {
        triggers != nil || reports != nil
    }

    subscript(list: DeclaredList) -> [NameIndex]? {
        switch list {
        case .triggers: triggers
        case .reports: reports
        }
    }

    /// All declared names, in the order in which they were declared.
    var names: [DeclaredName] {
        (triggers ?? []).map { DeclaredName(list: .triggers, name: $0) }
            + (reports ?? []).map { DeclaredName(list: .reports, name: $0) }
    }
}

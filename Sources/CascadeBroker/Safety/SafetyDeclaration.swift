// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A node's declarations about its subtree, and the findings about them.
struct SafetyDeclaration: Sendable {
    /// Numbers of names; `nil` where nothing is declared.
    var triggers: [NameIndex]?
    var reports: [NameIndex]?
    /// `nil` for the parent's level.
    var level: SafetyLevel?
    var requiresExplicitResponders: Bool?

    /// The account charged for its names.
    var account = AccountTable.own

    /// Undeclared names that passed, in the order of their arrival, and the accounts that triggered
    /// them.
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

    /// Whether it examines the messages that pass it.
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

/// Which of a node's two lists of declared names is meant.
enum DeclaredList: UInt8, Sendable {
    case triggers
    case reports

    /// The list of the names in `lane`.
    init(_ lane: Lane) {
        self = lane == .error ? .reports : .triggers
    }
}

/// A name in one of the two lists: errors and events may have the same.
struct DeclaredName: Hashable, Sendable {
    var list: DeclaredList
    /// The number of the name.
    var name: NameIndex
}

/// The part of an event's way up that has been checked against declarations, so that each node that
/// declares names examines an event once under each name.
struct CheckedPart: Equatable, Sendable {
    /// The last place that was looked at; ``Slab/Index/none`` if none was.
    var last = NodeIndex.none
    var name = NameIndex.none
    var list = DeclaredList.triggers
}

/// The names that may arrive at a place, according to the tree and its declarations.
struct ArrivingNames: Sendable {
    /// Anything may come.
    var isOpen = false
    /// Names that may arrive in any case, because a node below declares them.
    var names: Set<NameIndex> = []
    /// The node whose untyped responder stops all of them, if there is one.
    var blocker: NodeIndex?

    /// Whether something may come for a responder to `name`, or to every name.
    func reaches(_ name: NameIndex) -> Bool {
        isOpen || (name == NameIndex.none ? !names.isEmpty : names.contains(name))
    }

    /// A responder that nothing gets past.
    mutating func stop(at node: NodeIndex) {
        isOpen = false
        names = []
        blocker = node
    }

    mutating func merge(_ other: ArrivingNames) {
        isOpen = isOpen || other.isOpen
        names.formUnion(other.names)
        blocker = blocker ?? other.blocker
    }
}

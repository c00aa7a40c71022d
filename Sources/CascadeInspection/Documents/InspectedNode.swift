// SPDX-License-Identifier: Apache-2.0

public import CascadeJSON
public import CascadeWire

/// A node in a document. The members from `safety` on are in the node's own document and in a dump only,
/// except ``environment``, which a tree has for a requested key.
public struct InspectedNode: Codable, Hashable, Sendable {
    /// The relation of a node to its parent.
    public enum Relation: String, Codable, Sendable {
        case contained, presented
    }

    /// The treatment of the nodes below a node that has left and does not return.
    public enum OrphanPolicy: String, Codable, Sendable {
        /// They are told to stop.
        case detach
    }

    public var path: NodePath
    /// The path of the parent; `nil` for the root.
    public var parent: NodePath?
    public var state: NodeState
    /// Whether the node counts as a subscriber, unless an ancestor is inactive.
    public var active: Bool
    /// The process that holds the node; `nil` for a vacant place.
    public var pid: UInt32?
    /// The user ID of the process, from the kernel.
    public var uid: UInt32?
    /// The name of the user, if the machine that reads the answer knows one.
    public var user: String?
    /// The systemd unit of the process.
    public var unit: String?
    /// The time from which the process has held the node, or the place has been vacant.
    public var since: Timestamp
    /// The session that holds the node; `nil` for the root and for a vacant place.
    public var session: SessionID?
    /// The relation to the parent; `nil` for the root and for a vacant place.
    public var relation: Relation?
    /// The name of the site at a mount, where another bus stands: that of the key that holds it, or the
    /// last component of the path if no key does; `nil` for any other place.
    public var site: String?
    /// The responders in their order.
    public var responders: [ResponderEntry]
    /// The names of the subscriptions in their order.
    public var subscriptions: [EventName]
    /// The subscriptions of a mount that stand for those of the bus below it; `nil` for any other node.
    public var standIns: [StandInEntry]?
    /// The names that the node declares to trigger; `nil` without a declaration.
    public var triggers: [EventName]?
    /// The names of errors that the node declares to report; `nil` without a declaration.
    public var reports: [EventName]?
    /// The number of children.
    public var children: UInt32
    /// The level of safety that the node declares; `nil` for that of its parent.
    public var safety: DocumentWord<SafetyLevel>?
    /// The treatment of the nodes below it when it does not return; `nil` if they stay.
    public var orphans: OrphanPolicy?
    /// The group ID of the process.
    public var gid: UInt32?
    /// The supplementary groups of the process.
    public var groups: [UInt32]?
    /// The name of the key with which the process was authenticated.
    public var key: String?
    /// The program, as the process names it.
    public var program: String?
    /// The resident memory of the process, in bytes, if it runs on the machine that reads the answer.
    public var residentBytes: UInt64?
    /// The counters of the node, such as `visits` and `queue`.
    public var counters: NamedMembers<UInt64>?
    /// The values that the node reads: all of them in the node's own document, that of one key in a
    /// tree.
    public var environment: NamedMembers<JSONValue>?
    /// The preferences of the node and its subtree, each reduced to one value.
    public var preferences: NamedMembers<JSONValue>?
    /// The last outcomes of messages that the node raised or handled, latest first.
    public var outcomes: [MonitorEventDocument]?
    /// The latest outcome with an error, even if the error was caught.
    public var lastError: MonitorEventDocument?
}

/// A responder of a node.
public struct ResponderEntry: Codable, Hashable, Sendable {
    /// The position in the node's list, from 0.
    public var index: Int
    public var kind: ResponderKind
    /// The name of the messages that the responder is for; `*` for every name.
    public var name: String
    /// The predicate that a message has to satisfy.
    public var when: String?
}

/// A subscription of a mount that stands for all subscribers of a name on the bus below.
public struct StandInEntry: Codable, Hashable, Sendable {
    public var name: EventName
    /// The greatest level of a subscriber below.
    public var levels: UInt32
}

// MARK: - Nodes of the wire

extension InspectedNode {
    /// Creates the entry of a node from the bus's answer.
    ///
    /// - Parameters:
    ///   - node: The node in the answer.
    ///   - now: The time of the answer.
    ///   - user: The name of the user; `nil` if it is unknown.
    ///   - residentBytes: The resident memory of the process; `nil` if it is unknown.
    package init(
        _ node: NodeSnapshot, now: Timestamp, user: String?, residentBytes: UInt64? = nil
    ) {
        let holder = node.holder
        path = node.path
        parent = node.path.parent
        state = node.state
        active = node.isActive
        pid = holder?.processID
        uid = holder.flatMap { $0.userID == .max ? nil : $0.userID }
        self.user = user
        unit = holder.flatMap { $0.unit.isEmpty ? nil : $0.unit }
        // A daemon of release 0.1.0 sends only the age.
        since = node.since ?? now.earlier(byMicroseconds: node.ageMicroseconds)
        session = node.path.isRoot ? nil : holder?.session
        relation =
            node.path.isRoot || holder == nil ? nil : node.isPresented ? .presented : .contained
        site = node.isMount ? holder?.key ?? node.path.name : nil
        responders = node.responders.enumerated().map { ResponderEntry(index: $0, $1) }
        subscriptions = node.subscriptions
        standIns = node.standIns.isEmpty ? nil : node.standIns.map { StandInEntry($0) }
        triggers = node.triggers
        reports = node.reports
        children = node.childCount
        safety = node.safety.map { DocumentWord($0) }
        orphans = node.detachesOrphans ? .detach : nil
        gid = holder.flatMap { $0.groupID == .max ? nil : $0.groupID }
        groups = holder.flatMap { $0.groups.isEmpty ? nil : $0.groups }
        key = holder?.key
        program = holder?.program
        self.residentBytes = residentBytes
        counters = NamedMembers(node.counters)
    }

    /// The entry without the members that only a node's own document and a dump have.
    public var brief: InspectedNode {
        var brief = self
        brief.safety = nil
        brief.orphans = nil
        brief.gid = nil
        brief.groups = nil
        brief.key = nil
        brief.program = nil
        brief.residentBytes = nil
        brief.counters = nil
        brief.environment = nil
        brief.preferences = nil
        brief.outcomes = nil
        brief.lastError = nil
        return brief
    }
}

extension ResponderEntry {
    fileprivate init(index: Int, _ responder: ResponderDeclaration) {
        self.init(
            index: index, kind: responder.kind,
            name: responder.name?.description ?? NameRule.wildcard, when: responder.when)
    }
}

extension StandInEntry {
    fileprivate init(_ standIn: StandIn) {
        self.init(name: standIn.name, levels: standIn.levels)
    }
}

extension NamedMembers<UInt64> {
    package init(_ numbers: [NamedNumber]) {
        self.init(numbers.map { Member($0.name, $0.value) })
    }
}

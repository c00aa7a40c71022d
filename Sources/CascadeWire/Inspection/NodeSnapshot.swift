// SPDX-License-Identifier: Apache-2.0

/// The state of one node in the answer to a query for the tree.
package struct NodeSnapshot: Equatable, Sendable {
    /// The process that holds a node.
    package struct Holder: Equatable, Sendable {
        package var session: SessionID
        package var processID: UInt32
        package var userID: UInt32
        package var groupID: UInt32
        /// The systemd unit; empty for none.
        package var unit: String
        package var program: String
        /// The supplementary groups.
        package var groups: [UInt32]
        /// The name of the key that authenticated the process; `nil` for none.
        package var key: String?

        package init(
            session: SessionID, processID: UInt32, userID: UInt32, groupID: UInt32, unit: String,
            program: String, groups: [UInt32] = [], key: String? = nil
        ) {
            self.session = session
            self.processID = processID
            self.userID = userID
            self.groupID = groupID
            self.unit = unit
            self.program = program
            self.groups = groups
            self.key = key
        }
    }

    package var path: NodePath
    package var state: NodeState
    package var isActive: Bool
    /// The time since the holder attached the node, or since the place became vacant, in microseconds.
    package var ageMicroseconds: UInt64
    /// The start of that time on the daemon's wall clock, the same in each answer. `nil` from a daemon
    /// that does not send it.
    package var since: Timestamp?
    package var childCount: UInt32
    package var holder: Holder?
    package var responders: [ResponderDeclaration]
    package var subscriptions: [EventName]
    /// Counts of the visits that are under way to the node or wait for it, and of the visits that it has
    /// answered since it attached.
    package var counters: [NamedNumber]
    package var isPresented = false
    /// Whether the place stands for a bus below it.
    package var isMount = false
    package var standIns: [StandIn] = []
    package var triggers: [EventName]?
    package var reports: [EventName]?
    /// The level that the node declares; `nil` for that of its parent.
    package var safety: SafetyLevel?
    /// Whether the nodes below it are detached when its grace time has expired.
    package var detachesOrphans = false
    /// The number that the node keeps as long as its place is there, in answers about changes of the tree;
    /// `nil` in others. A later node may have it again.
    package var number: UInt32?

    package init(
        path: NodePath, state: NodeState, isActive: Bool, ageMicroseconds: UInt64,
        childCount: UInt32, holder: Holder? = nil, responders: [ResponderDeclaration] = [],
        subscriptions: [EventName] = [], counters: [NamedNumber] = []
    ) {
        self.path = path
        self.state = state
        self.isActive = isActive
        self.ageMicroseconds = ageMicroseconds
        self.childCount = childCount
        self.holder = holder
        self.responders = responders
        self.subscriptions = subscriptions
        self.counters = counters
    }

    /// The names that it subscribes to, for itself or for the bus below it.
    package var subscribedNames: [EventName] {
        subscriptions + standIns.map(\.name)
    }

    init(fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(
            path: .root, state: .vacant, isActive: false, ageMicroseconds: 0, childCount: 0)
        while let field = try fields.next() {
            switch field.tag {
            case .record: try read(field.parts)
            case .holder: holder = try Holder(field.parts)
            case .policyGroup: holder?.groups.append(try field.integer())
            case .policyKey: holder?.key = try field.text()
            case .responder: responders.append(try ResponderDeclaration(field))
            case .subscription: subscriptions.append(try EventName(decoding: field.text()))
            case .counter: counters.append(try NamedNumber(field))
            case .isPresented: isPresented = true
            case .nodeNumber: number = try field.integer()
            case .isMount: isMount = true
            case .standIn: standIns.append(try StandIn(field))
            case .triggers: try triggers.add(field)
            case .reports: try reports.add(field)
            case .safety: safety = SafetyLevel(rawValue: try field.integer())
            case .detachesOrphans: detachesOrphans = true
            default: break
            }
        }
    }

    private mutating func read(_ parts: PartReader) throws(WireError) {
        var parts = parts
        path = try NodePath(decoding: parts.text())
        state = NodeState(rawValue: try parts.integer()) ?? .vacant
        isActive = try parts.integer(UInt8.self) != 0
        ageMicroseconds = try parts.integer()
        childCount = try parts.integer()
        if !parts.isAtEnd {
            since = Timestamp(microseconds: Int64(bitPattern: try parts.integer()))
        }
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.record) { parts in
            parts.append(path.description)
            parts.append(state.rawValue)
            parts.append(UInt8(isActive ? 1 : 0))
            parts.append(ageMicroseconds)
            parts.append(childCount)
            if let since {
                parts.append(UInt64(bitPattern: since.microseconds))
            }
        }
        if let holder {
            fields.append(.holder) { parts in holder.write(to: &parts) }
            for group in holder.groups {
                fields.append(.policyGroup, group)
            }
            if let key = holder.key {
                fields.append(.policyKey, key)
            }
        }
        for responder in responders {
            responder.write(to: &fields)
        }
        for subscription in subscriptions {
            fields.append(.subscription, subscription.description)
        }
        for counter in counters {
            counter.write(as: .counter, to: &fields)
        }
        fields.append(.isPresented, if: isPresented)
        triggers?.write(as: .triggers, to: &fields)
        reports?.write(as: .reports, to: &fields)
        if let safety {
            fields.append(.safety, safety.rawValue)
        }
        fields.append(.detachesOrphans, if: detachesOrphans)
        fields.append(.isMount, if: isMount)
        for standIn in standIns {
            standIn.write(to: &fields)
        }
        if let number {
            fields.append(.nodeNumber, number)
        }
    }
}

extension NodeSnapshot.Holder {
    fileprivate init(_ parts: PartReader) throws(WireError) {
        var parts = parts
        session = try SessionID(high: parts.integer(), low: parts.integer())
        processID = try parts.integer()
        userID = try parts.integer()
        groupID = try parts.integer()
        unit = try parts.text()
        program = try parts.text()
        groups = []
    }

    fileprivate func write(to parts: inout PartWriter) {
        parts.append(session.high)
        parts.append(session.low)
        parts.append(processID)
        parts.append(userID)
        parts.append(groupID)
        parts.append(unit)
        parts.append(program)
    }
}

// MARK: - State

/// The state of a place in the tree.
public enum NodeState: UInt8, Sendable, CaseIterable {
    /// A process that answers holds the place.
    case live = 1
    /// The node is live, but it or an ancestor is inactive, so it does not count as a subscriber.
    case inactive = 2
    /// The process of the node has missed its beats: it is stopped, or busy.
    case unresponsive = 3
    /// The node finishes the visits that it accepted and gets no new ones.
    case leaving = 4
    /// No process holds the place.
    case vacant = 5

    /// The state as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}

extension NodeSnapshot {
    /// Whether the holder of the node passes on questions to other sites.
    package var connectsSites: Bool {
        responders.contains { $0.name == .inspection }
    }
}

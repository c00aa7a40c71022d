// SPDX-License-Identifier: Apache-2.0

/// What an inspector is told of one node.
package struct NodeSnapshot: Equatable, Sendable {
    /// The process that holds a node.
    package struct Holder: Equatable, Sendable {
        package var session: SessionID
        package var processID: UInt32
        package var userID: UInt32
        package var groupID: UInt32
        /// The systemd unit, where there is one.
        package var unit: String
        package var program: String
        /// The supplementary groups.
        package var groups: [UInt32]
        /// The name of the key that it has proved to have, where it came with one.
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
    /// How long it has been in the hands it is in (or vacant), in microseconds.
    package var ageMicroseconds: UInt64
    /// Since when, on the daemon's wall clock: the same at each look. `nil` from a daemon that does
    /// not say.
    package var since: Timestamp?
    package var childCount: UInt32
    package var holder: Holder?
    package var responders: [ResponderDeclaration]
    package var subscriptions: [EventName]
    /// Visits on their way to it or waiting for it, and visits it answered since it attached.
    package var counters: [NamedNumber]
    package var isPresented = false
    package var triggers: [EventName]?
    package var reports: [EventName]?

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
            case .triggers: try triggers.add(field)
            case .reports: try reports.add(field)
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

// SPDX-License-Identifier: Apache-2.0

// MARK: - Route

/// A query for the route that a message would have. Nothing is sent.
package struct RouteQuery: Equatable, Sendable {
    package var lane: Lane
    package var name: EventName
    /// The path whose child would raise the message.
    package var path: NodePath
    package var attributes: [Attribute]
    /// The payload, which predicates read; empty for none.
    package var payload: String

    package init(
        _ lane: Lane, _ name: EventName, from path: NodePath, attributes: [Attribute] = [],
        payload: String = ""
    ) {
        self.lane = lane
        self.name = name
        self.path = path
        self.attributes = attributes
        self.payload = payload
    }

    init(fields: FieldReader) throws(WireError) {
        var fields = fields
        var name: EventName?
        var path = NodePath.root
        var lane = Lane.event
        var attributes: [Attribute] = []
        var payload = ""
        while let field = try fields.next() {
            switch field.tag {
            case .name: name = try EventName(decoding: field.text())
            case .path: path = try NodePath(decoding: field.text())
            case .lane: lane = try Lane(decoding: field.integer())
            case .attribute: attributes.append(try Attribute(field))
            case .payload: payload = try field.text()
            default: break
            }
        }
        guard let name else {
            throw WireError("a query for a route has no name")
        }
        self.init(lane, name, from: path, attributes: attributes, payload: payload)
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.name, name.description)
        fields.append(.path, path.description)
        fields.append(.lane, lane.rawValue)
        for attribute in attributes {
            attribute.write(to: &fields)
        }
        if !payload.isEmpty {
            fields.append(.payload, payload)
        }
    }
}

// MARK: - Monitor

/// The selection of monitor events that a monitor receives.
package struct MonitorFilter: Equatable, Sendable {
    /// The pattern of names, with `*` and `?`; `nil` for all names.
    package var name: String?
    /// The pattern of paths, with `*` and `?`; `nil` for all paths.
    package var path: String?
    /// The kinds of monitor events; empty for all kinds.
    package var kinds: [MonitorEventKind]
    /// The age of the oldest monitor event, in milliseconds, as far as the bus has stored them.
    package var sinceMilliseconds: UInt32
    /// Whether monitor events include the payloads of messages and publications.
    package var withPayloads: Bool
    /// How many monitor events about messages the monitor receives in a second at most; 0 for all. The bus
    /// counts the others.
    package var perSecond: UInt32
    /// Whether a message is reported once, at its end and with its trail, and not when it is raised.
    package var withTrails: Bool

    package init(
        name: String? = nil, path: String? = nil, kinds: [MonitorEventKind] = [],
        sinceMilliseconds: UInt32 = 0, withPayloads: Bool = false, perSecond: UInt32 = 0,
        withTrails: Bool = false
    ) {
        self.name = name
        self.path = path
        self.kinds = kinds
        self.sinceMilliseconds = sinceMilliseconds
        self.withPayloads = withPayloads
        self.perSecond = perSecond
        self.withTrails = withTrails
    }

    init(fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init()
        while let field = try fields.next() {
            switch field.tag {
            case .namePattern: name = try field.text()
            case .pathPattern: path = try field.text()
            case .happeningKind:
                let number: UInt8 = try field.integer()
                guard let kind = MonitorEventKind(rawValue: number) else {
                    throw WireError(
                        .unknownQuery, "there is no kind of monitor event \(number)")
                }
                kinds.append(kind)
            case .since: sinceMilliseconds = try field.integer()
            case .withPayloads: withPayloads = true
            case .perSecond: perSecond = try field.integer()
            case .withTrails: withTrails = true
            default: break
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        if let name {
            fields.append(.namePattern, name)
        }
        if let path {
            fields.append(.pathPattern, path)
        }
        for kind in kinds {
            fields.append(.happeningKind, kind.rawValue)
        }
        if sinceMilliseconds > 0 {
            fields.append(.since, sinceMilliseconds)
        }
        fields.append(.withPayloads, if: withPayloads)
        if perSecond > 0 {
            fields.append(.perSecond, perSecond)
        }
        fields.append(.withTrails, if: withTrails)
    }
}

/// The kind of a monitor event.
public enum MonitorEventKind: UInt8, Sendable, CaseIterable {
    /// Events, requests and cascades.
    case event = 1
    case error = 2
    case publish = 3
    case env = 4
    case topology = 5
    case admin = 6

    /// The kind as the command line writes it.
    public var name: String {
        "\(self)"
    }
}

// MARK: - Policy

/// A query for the policy's decision about a subject, a verb and a path.
package struct PolicyTest: Equatable, Sendable {
    package var verb: String
    package var path: NodePath
    /// The identity to test; `nil` for that of the caller.
    package var identity: PolicyIdentity?

    package init(_ verb: String, at path: NodePath, by identity: PolicyIdentity? = nil) {
        self.verb = verb
        self.path = path
        self.identity = identity
    }

    init(fields: FieldReader) throws(WireError) {
        var fields = fields
        var verb: String?
        var path = NodePath.root
        var identity = PolicyIdentity()
        while let field = try fields.next() {
            switch field.tag {
            case .policyVerb: verb = try field.text()
            case .path: path = try NodePath(decoding: field.text())
            case .policyUser: identity.userID = try field.integer()
            case .policyGroup: identity.groupIDs.append(try field.integer())
            case .policyUnit: identity.unit = try field.text()
            case .policyKey: identity.key = try field.text()
            default: break
            }
        }
        guard let verb else {
            throw WireError("a test of the policy has no verb")
        }
        self.init(verb, at: path, by: identity == PolicyIdentity() ? nil : identity)
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.policyVerb, verb)
        fields.append(.path, path.description)
        guard let identity else {
            return
        }
        if let userID = identity.userID {
            fields.append(.policyUser, userID)
        }
        for groupID in identity.groupIDs {
            fields.append(.policyGroup, groupID)
        }
        if !identity.unit.isEmpty {
            fields.append(.policyUnit, identity.unit)
        }
        if let key = identity.key {
            fields.append(.policyKey, key)
        }
    }
}

/// The identity of a peer for policy. Each member comes from the kernel or is authenticated by a key;
/// none is the peer's own claim.
package struct PolicyIdentity: Hashable, Sendable {
    /// `nil` where the kernel reports none, as on tcp.
    package var userID: UInt32?
    /// The group of the process, and its supplementary groups.
    package var groupIDs: [UInt32]
    /// The systemd unit; empty for none.
    package var unit: String
    /// The name of the key that authenticated the peer; `nil` for none.
    package var key: String?

    package init(
        userID: UInt32? = nil, groupIDs: [UInt32] = [], unit: String = "", key: String? = nil
    ) {
        self.userID = userID
        self.groupIDs = groupIDs
        self.unit = unit
        self.key = key
    }
}

extension PolicyIdentity: CustomStringConvertible {
    /// The identity as error sentences and log records write it.
    package var description: String {
        if let key {
            return "key '\(key)'"
        }
        guard let userID else {
            return "unknown user"
        }
        return unit.isEmpty ? "user \(userID)" : "user \(userID), unit '\(unit)'"
    }
}

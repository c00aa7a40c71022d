// SPDX-License-Identifier: Apache-2.0

/// The first message of a connection: the identity of the peer and its protocol versions.
package struct Hello: WireMessage {
    package static let command = Command.hello

    package var versions: ClosedRange<UInt16>
    package var session: SessionID
    /// The program and its release, for people.
    package var program: String
    /// The process ID that the peer claims; used only where the kernel does not report one.
    package var processID: UInt32
    /// Whether this session had an earlier connection to the bus. If the daemon does not know the
    /// session, the daemon has restarted.
    package var isResumed: Bool
    /// The secret that proves that the session's ID is the peer's own; `nil` for a peer without one.
    package var secret: SessionSecret?
    /// The name of the key whose session it is, according to a peer that brings in sessions of other
    /// buses; `nil` for a session of the peer itself.
    package var policyKey: String?

    package init(
        versions: ClosedRange<UInt16> = ProtocolVersion.min...ProtocolVersion.max,
        session: SessionID, program: String, processID: UInt32, isResumed: Bool = false,
        secret: SessionSecret? = nil, policyKey: String? = nil
    ) {
        self.versions = versions
        self.session = session
        self.program = program
        self.processID = processID
        self.isResumed = isResumed
        self.secret = secret
        self.policyKey = policyKey
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        var name: String?
        var min: UInt16 = 0
        var max: UInt16 = 0
        var session: SessionID?
        self.init(
            versions: 0...0, session: SessionID(high: 0, low: 0), program: "", processID: 0)
        while let field = try fields.next() {
            switch field.tag {
            case .protocolName: name = try field.text()
            case .versionMin: min = try field.integer()
            case .versionMax: max = try field.integer()
            case .sessionID:
                var parts = field.parts
                session = try SessionID(high: parts.integer(), low: parts.integer())
            case .program: program = try field.text()
            case .processID: processID = try field.integer()
            case .isResumed: isResumed = true
            case .secret: secret = try SessionSecret(decoding: field)
            case .policyKey: policyKey = try KeyName.read(field.text())
            default: break
            }
        }
        guard name == ProtocolVersion.name else {
            throw WireError("the greeting does not name the protocol '\(ProtocolVersion.name)'")
        }
        guard let session, min >= 1, min <= max else {
            throw WireError("the greeting has no session, or no range of versions")
        }
        self.session = session
        versions = min...max
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.protocolName, ProtocolVersion.name)
        fields.append(.versionMin, versions.lowerBound)
        fields.append(.versionMax, versions.upperBound)
        fields.append(.sessionID) { parts in
            parts.append(session.high)
            parts.append(session.low)
        }
        fields.append(.program, program)
        fields.append(.processID, processID)
        fields.append(.isResumed, if: isResumed)
        if let secret {
            fields.append(.secret, octets: secret.bytes)
        }
        if let policyKey {
            fields.append(.policyKey, policyKey)
        }
    }
}

/// The daemon's answer to a greeting: the version, the credit and the limits of the session.
package struct Welcome: WireMessage {
    package static let command = Command.welcome

    package var version: UInt16
    /// The name of the bus, for people.
    package var bus: String
    /// The release of the daemon, for people.
    package var release: String
    package var processID: UInt32
    /// The number of triggers and publications that may be under way at once.
    package var credit: UInt32
    /// The interval of the daemon's beats, in milliseconds.
    package var beatMilliseconds: UInt32
    package var limits: [NamedNumber]
    /// The time for which the daemon still waits for the nodes of its predecessor to reattach, in
    /// milliseconds; 0 if it does not wait.
    package var reattachMilliseconds: UInt32

    package init(
        version: UInt16, bus: String, release: String, processID: UInt32, credit: UInt32,
        beatMilliseconds: UInt32, limits: [NamedNumber], reattachMilliseconds: UInt32 = 0
    ) {
        self.version = version
        self.bus = bus
        self.release = release
        self.processID = processID
        self.credit = credit
        self.beatMilliseconds = beatMilliseconds
        self.limits = limits
        self.reattachMilliseconds = reattachMilliseconds
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        guard let version = UInt16(exactly: header.code) else {
            throw WireError("there is no version \(header.code)")
        }
        var fields = fields
        self.init(
            version: version, bus: "", release: "", processID: 0,
            credit: 0, beatMilliseconds: 0, limits: [])
        while let field = try fields.next() {
            switch field.tag {
            case .bus: bus = try field.text()
            case .release: release = try field.text()
            case .processID: processID = try field.integer()
            case .credit: credit = try field.integer()
            case .beatInterval: beatMilliseconds = try field.integer()
            case .limit: limits.append(try NamedNumber(field))
            case .reattach: reattachMilliseconds = try field.integer()
            default: break
            }
        }
    }

    package var header: Header {
        Header(.welcome, code: UInt32(version))
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.bus, bus)
        fields.append(.release, release)
        fields.append(.processID, processID)
        fields.append(.credit, credit)
        fields.append(.beatInterval, beatMilliseconds)
        for limit in limits {
            limit.write(as: .limit, to: &fields)
        }
        if reattachMilliseconds > 0 {
            fields.append(.reattach, reattachMilliseconds)
        }
    }
}

// MARK: - Parts of a greeting

/// A number with a name: a limit or a counter.
package struct NamedNumber: Equatable, Sendable {
    package var name: String
    package var value: UInt64

    package init(_ name: String, _ value: UInt64) {
        self.name = name
        self.value = value
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        name = try parts.text()
        value = try parts.integer()
    }

    func write(as tag: FieldTag, to fields: inout FieldWriter) {
        fields.append(tag) { parts in
            parts.append(name)
            parts.append(value)
        }
    }
}

/// The versions of the protocol that this code implements. A greeting offers a range; the daemon
/// selects the highest version that both sides implement.
package enum ProtocolVersion {
    /// The name of the protocol, which each greeting contains. It distinguishes a client of another protocol
    /// from a peer with an old version.
    package static let name = "cascade"
    package static let min: UInt16 = 1
    package static let max: UInt16 = 1
}

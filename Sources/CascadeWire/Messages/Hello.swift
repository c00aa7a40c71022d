// SPDX-License-Identifier: Apache-2.0

/// The first message of a connection: the identity of the peer and its protocol versions.
package struct Hello: WireMessage {
    package static let command = Command.hello

    package var versions: ClosedRange<UInt16>
    package var session: SessionID
    /// The program and its release, for people.
    package var program: String
    /// What the process says its ID is; believed only where the kernel does not tell.
    package var processID: UInt32
    /// Whether this session was on the bus before, so that its daemon must have restarted.
    package var isResumed: Bool
    /// Proves that the session's ID is the peer's own; `nil` for a peer that has no secret.
    package var secret: SessionSecret?

    package init(
        versions: ClosedRange<UInt16> = ProtocolVersion.min...ProtocolVersion.max,
        session: SessionID, program: String, processID: UInt32, isResumed: Bool = false,
        secret: SessionSecret? = nil
    ) {
        self.versions = versions
        self.session = session
        self.program = program
        self.processID = processID
        self.isResumed = isResumed
        self.secret = secret
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
    }
}

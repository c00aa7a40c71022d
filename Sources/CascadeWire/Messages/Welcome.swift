// SPDX-License-Identifier: Apache-2.0

/// The daemon's answer to a greeting: what both sides keep to from now on.
package struct Welcome: WireMessage {
    package static let command = Command.welcome

    package var version: UInt16
    /// The bus's name, and the daemon's release, for people.
    package var bus: String
    package var release: String
    package var processID: UInt32
    /// How many triggers and publications may be under way at once.
    package var credit: UInt32
    /// How often the daemon sends a beat, in milliseconds.
    package var beatMilliseconds: UInt32
    package var limits: [NamedNumber]
    /// How much longer the daemon waits for the nodes of the one before it to come back, in
    /// milliseconds; 0 if it does not. Until then, that a node is missing says nothing.
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

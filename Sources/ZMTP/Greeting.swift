// SPDX-License-Identifier: Apache-2.0

/// The version of ZMTP that a greeting announces.
package struct ProtocolVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let major: UInt8
    package let minor: UInt8

    package init(major: UInt8, minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    /// The first version with PING and PONG, and the version that this engine announces.
    package static let version3Point1 = ProtocolVersion(major: 3, minor: 1)

    package static func < (left: ProtocolVersion, right: ProtocolVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    package var description: String {
        "\(major).\(minor)"
    }
}

/// The 64 octets that each peer sends first (RFC 37, *Formal Grammar*).
///
///     greeting = signature version mechanism as-server filler
///
/// The engine demands ZMTP 3 and NULL. It therefore sends its whole greeting at once, as *Version
/// Negotiation* asks of a peer that does not downgrade, with a padding of zeros.
enum Greeting {
    static let byteCount = 64

    private static let signatureStart: UInt8 = 0xFF
    private static let signatureEnd: UInt8 = 0x7F
    private static let signatureEndIndex = 9
    private static let majorVersionIndex = 10
    private static let minorVersionIndex = 11
    private static let mechanism = 12..<32
    private static let mechanismName: StaticString = "NULL"

    static func encode(into output: inout OutputRawSpan) {
        output.append(signatureStart)
        output.append(repeating: 0, count: 8, as: UInt8.self)
        output.append(signatureEnd)
        output.append(ProtocolVersion.version3Point1.major)
        output.append(ProtocolVersion.version3Point1.minor)
        output.append(mechanismName)
        // The rest of the mechanism, as-server (which has no meaning for NULL) and the filler.
        let rest = byteCount - mechanism.lowerBound - mechanismName.utf8CodeUnitCount
        output.append(repeating: 0, count: rest, as: UInt8.self)
    }

    /// Reads a peer's greeting that begins at `start`; returns `nil` while octets are missing.
    ///
    /// Each octet is checked as soon as it is there, so a peer that speaks another protocol is refused
    /// without waiting for 64 octets of it. Padding, as-server and filler have no meaning.
    static func decode(
        _ bytes: RawSpan, at start: Int
    ) throws(Fault) -> ProtocolVersion? {
        let count = bytes.byteCount - start
        guard count > 0 else {
            return nil
        }
        let first = bytes.byte(at: start)
        guard first == signatureStart else {
            throw Fault(.notVersioned(firstByte: first), at: start)
        }
        guard count > signatureEndIndex else {
            return nil
        }
        let last = bytes.byte(at: start + signatureEndIndex)
        guard last == signatureEnd else {
            // Of ZMTP 1.0, this is the flags octet after a long length, whose lowest bit is 0.
            throw Fault(
                last & 1 == 0 ? .notVersioned(firstByte: first) : .badSignature(last),
                at: start + signatureEndIndex)
        }
        guard count > majorVersionIndex else {
            return nil
        }
        let major = bytes.byte(at: start + majorVersionIndex)
        guard major >= ProtocolVersion.version3Point1.major else {
            throw Fault(.outdatedVersion(major: major), at: start + majorVersionIndex)
        }
        guard count >= byteCount else {
            return nil
        }
        try checkMechanism(bytes, at: start)
        return ProtocolVersion(
            major: major, minor: bytes.byte(at: start + minorVersionIndex))
    }

    private static func checkMechanism(_ bytes: RawSpan, at start: Int) throws(Fault) {
        let field = start + mechanism.lowerBound..<start + mechanism.upperBound
        let name = field.lowerBound..<field.lowerBound + mechanismName.utf8CodeUnitCount
        let isPadded = (name.upperBound..<field.upperBound).allSatisfy { bytes.byte(at: $0) == 0 }
        guard bytes.isEqual(to: mechanismName, in: name), isPadded else {
            let end = field.first { bytes.byte(at: $0) == 0 } ?? field.upperBound
            let peerName = bytes.textForDisplay(field.lowerBound..<end)
            throw Fault(.unsupportedMechanism(peerName), at: field.lowerBound)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Names one event or publication for good: the session that raised it, and its number there.
///
/// An event that is delivered again, say after a restart of the daemon, keeps its ID, so a node can
/// tell that it has acted on it before.
public struct EventID: Hashable, Sendable, CustomStringConvertible {
    /// The session that raised it.
    public let session: SessionID

    /// Its number in that session, counted from 1.
    public let sequence: UInt64

    package init(session: SessionID, sequence: UInt64) {
        self.session = session
        self.sequence = sequence
    }

    /// `nil` unless `text` has the form of ``description``.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let session = SessionID(parts[0]), let sequence = UInt64(parts[1])
        else {
            return nil
        }
        self.init(session: session, sequence: sequence)
        guard description == text else {
            return nil
        }
    }

    /// The session's 32 hexadecimal digits, a dash, and the decimal number.
    public var description: String {
        "\(session)-\(sequence)"
    }
}

extension EventID {
    package init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        try self.init(
            session: SessionID(high: parts.integer(), low: parts.integer()),
            sequence: parts.integer())
    }

    package func write(as tag: FieldTag, to fields: inout FieldWriter) {
        fields.append(tag) { parts in
            parts.append(session.high)
            parts.append(session.low)
            parts.append(sequence)
        }
    }
}

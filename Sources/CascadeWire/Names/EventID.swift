// SPDX-License-Identifier: Apache-2.0

/// The identity of an event or publication: the session of its origin, and its sequence number there.
///
/// A redelivered event, for example after a restart of the daemon, has the same ID. A node can
/// therefore recognize an event that it has handled before.
public struct EventID: Hashable, Sendable, CustomStringConvertible {
    /// The session of the origin.
    public let session: SessionID

    /// The sequence number in that session, counted from 1.
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

// MARK: - Trace context

/// The W3C Trace Context of an event: the trace, the span in which it was raised, and whether it is
/// sampled.
///
/// The bus passes it from the origin of an event to all nodes that see the event, and to the messages
/// that they raise in their handlers. The bus itself does not interpret it.
public struct TraceParent: Hashable, Sendable, CustomStringConvertible {
    private let traceHigh: UInt64
    private let traceLow: UInt64
    private let span: UInt64
    private let flags: UInt8

    /// Reads the value of a `traceparent` header; `nil` if it is invalid. Of a later version, only the
    /// parts of version 00 are kept.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= Self.byteCount,
            [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let version = Self.number(bytes[0..<2]), version != 0xFF,
            bytes.count == Self.byteCount || version > 0 && bytes[55] == UInt8(ascii: "-"),
            let traceHigh = Self.number(bytes[3..<19]), let traceLow = Self.number(bytes[19..<35]),
            let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55]),
            traceHigh != 0 || traceLow != 0, span != 0
        else {
            return nil
        }
        self.traceHigh = traceHigh
        self.traceLow = traceLow
        self.span = span
        self.flags = UInt8(flags)
    }

    /// The value in version 00: `00-`, 32 digits of the trace, 16 of the span, 2 of flags.
    public var description: String {
        let trace = Self.digits(traceHigh, 16) + Self.digits(traceLow, 16)
        return "00-\(trace)-\(Self.digits(span, 16))-\(Self.digits(UInt64(flags), 2))"
    }

    private static let byteCount = 55

    /// Reads hexadecimal digits; only lower case is valid in the standard.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default:
                return nil
            }
        }
        return number
    }

    private static func digits(_ number: UInt64, _ count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: count - digits.count) + digits
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A node's answer to a visit. Most verdicts need no more than the header.
package struct Verdict: WireMessage {
    package static let command = Command.verdict

    package var delivery: UInt64
    package var node: UInt32
    package var code: VerdictCode
    /// The index of the itinerary's stop that gave the verdict; all stops before it passed.
    package var stop: UInt16
    /// Whether the node has accepted its next visit too.
    package var nextAccepted: Bool
    /// The time for which the responders ran, in microseconds.
    package var microseconds: UInt32
    /// The name of the event that replaces this one, if any.
    package var newName: EventName?
    /// The error that the responder threw, if any.
    package var failure: Failure?
    /// How the message ended on another bus, if the node connects one.
    package var remote: RemoteEnd?

    package init(
        delivery: UInt64, node: UInt32, code: VerdictCode, stop: UInt16 = 0,
        nextAccepted: Bool = false, microseconds: UInt32 = 0, newName: EventName? = nil,
        failure: Failure? = nil, remote: RemoteEnd? = nil
    ) {
        self.delivery = delivery
        self.node = node
        self.code = code
        self.stop = stop
        self.nextAccepted = nextAccepted
        self.microseconds = microseconds
        self.newName = newName
        self.failure = failure
        self.remote = remote
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        guard let code = VerdictCode(rawValue: header.code) else {
            throw WireError("there is no verdict \(header.code)")
        }
        self.init(
            delivery: header.id, node: header.node, code: code, stop: header.index,
            nextAccepted: header.flags.contains(.nextAccepted), microseconds: header.time)
        var end = RemoteEnd()
        var rest = fields
        while let field = try rest.next() {
            switch field.tag {
            case .name: newName = try EventName(decoding: field.text())
            case .errorName where failure == nil: failure = try Failure(fields: fields)
            default:
                if try end.read(field) {
                    remote = end
                }
            }
        }
    }

    package var header: Header {
        Header(
            .verdict, flags: nextAccepted ? .nextAccepted : [], index: stop, node: node,
            id: delivery, time: microseconds, code: code.rawValue)
    }

    package func write(to fields: inout FieldWriter) {
        if let newName {
            fields.append(.name, newName.description)
        }
        failure?.write(to: &fields)
        remote?.write(to: &fields)
    }
}

/// A node's answer to one visit.
public enum VerdictCode: UInt32, Sendable, CaseIterable {
    /// The event is not handled; the next responder is asked.
    case passed = 1
    /// The event is handled and ends here.
    case handled = 2
    /// Another event takes the event's place.
    case replaced = 3
    /// The responder threw.
    case failed = 4
    /// The request is answered with a reply.
    case answered = 5

    /// The verdict as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}

// MARK: - Trails

/// One entry of a trail: the responder that was asked, and its verdict.
public struct VisitRecord: Hashable, Sendable {
    public var path: NodePath
    /// The index of the responder in the node's list.
    public var responder: Int
    public var kind: ResponderKind
    /// The name that the event had when the responder was asked.
    public var name: EventName
    public var verdict: VerdictCode
    /// Whether the verdict is ``VerdictCode/failed`` because the deadline expired.
    public var hasTimedOut: Bool
    /// The time from the visit's departure at the bus to the verdict's arrival there.
    public var microseconds: Int
    /// The time from the event's beginning to the visit's departure, in microseconds; `nil` from a bus that
    /// does not send it, or for a visit on another bus.
    public var at: Int?
    /// The time from the visit's departure until the node accepted it, in microseconds; `nil` if the node did
    /// not say that it did.
    public var waited: Int?
    /// The message of an error, for people.
    public var message: String?
    /// The title of an error, shown above its message.
    public var title: String?

    package init(
        path: NodePath, responder: Int, kind: ResponderKind, name: EventName,
        verdict: VerdictCode, hasTimedOut: Bool = false, microseconds: Int, at: Int? = nil,
        waited: Int? = nil, message: String? = nil, title: String? = nil
    ) {
        self.path = path
        self.responder = responder
        self.kind = kind
        self.name = name
        self.verdict = verdict
        self.hasTimedOut = hasTimedOut
        self.microseconds = microseconds
        self.at = at
        self.waited = waited
        self.message = message
        self.title = title
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        path = try NodePath(decoding: parts.text())
        responder = Int(try parts.integer(UInt16.self))
        let kind = ResponderKind(rawValue: try parts.integer())
        name = try EventName(decoding: parts.text())
        let verdict = VerdictCode(rawValue: UInt32(try parts.integer(UInt8.self)))
        microseconds = Int(try parts.integer(UInt32.self))
        guard let kind, let verdict else {
            throw WireError("a trail names an unknown kind of responder or verdict")
        }
        self.kind = kind
        self.verdict = verdict
        message = try parts.optionalText()
        title = try parts.optionalText()
        hasTimedOut = parts.isAtEnd ? false : try parts.integer(UInt8.self) != 0
        at = try Self.microseconds(&parts)
        waited = try Self.microseconds(&parts)
    }

    /// Reads a time that may be absent, or unknown.
    private static func microseconds(_ parts: inout PartReader) throws(WireError) -> Int? {
        guard !parts.isAtEnd else {
            return nil
        }
        let value: UInt32 = try parts.integer()
        return value == .max ? nil : Int(value)
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.visited) { parts in
            parts.append(path.description)
            parts.append(UInt16(clamping: responder))
            parts.append(kind.rawValue)
            parts.append(name.description)
            parts.append(UInt8(truncatingIfNeeded: verdict.rawValue))
            parts.append(UInt32(clamping: microseconds))
            let hasTimes = at != nil || waited != nil
            if message != nil || title != nil || hasTimedOut || hasTimes {
                parts.append(message ?? "")
                parts.append(title ?? "")
            }
            if hasTimedOut || hasTimes {
                parts.append(UInt8(hasTimedOut ? 1 : 0))
            }
            if hasTimes {
                parts.append(at.map { UInt32(clamping: min($0, Int(UInt32.max) - 1)) } ?? .max)
                parts.append(waited.map { UInt32(clamping: min($0, Int(UInt32.max) - 1)) } ?? .max)
            }
        }
    }
}

extension VisitRecord: CustomStringConvertible {
    /// The visit in one line, with control characters escaped for terminals.
    public var description: String {
        let how =
            hasTimedOut
            ? "timed out at" : verdict == .failed ? "failed at" : "\(verdict.name) by"
        let words = [title, message].compactMap(\.self).map { ": \($0)" }.joined()
        let asked = "(responder \(responder), \(kind.name) \(name))"
        return "\(how) \(path) \(asked) in \(microseconds) µs\(words)".safeForTerminal
    }
}

// MARK: - Itineraries

/// The wire encoding of the part of a route that one visit covers: several responders of one session
/// in one round trip, or the node that a delivery is for. It directly precedes the visit or delivery.
/// Its payload has 8 bytes for each stop.
package struct Itinerary: Equatable, Sendable {
    /// A responder that the visit asks.
    package struct Stop: Equatable, Sendable {
        package var node: UInt32
        package var responder: UInt16

        package init(node: UInt32, responder: UInt16) {
            self.node = node
            self.responder = responder
        }
    }

    package var stops: [Stop]

    package init(_ stops: [Stop]) {
        self.stops = stops
    }

    /// Reads a whole message. Throws ``WireError`` if it is not an itinerary or has no stop.
    package init(parsing message: [UInt8]) throws(WireError) {
        let header = try Header(parsing: message)
        let payload = header.payload(of: message)
        guard header.command == .itinerary, payload.count % 8 == 0, !payload.isEmpty else {
            throw WireError(
                "an itinerary has one or more stops of 8 bytes each, but the '\(header.command)' "
                    + "has a payload of \(payload.count) bytes")
        }
        stops = stride(from: payload.startIndex, to: payload.endIndex, by: 8).map { start in
            Stop(
                node: UInt32(littleEndianBytes: payload[start..<(start + 4)]),
                responder: UInt16(littleEndianBytes: payload[(start + 4)..<(start + 6)]))
        }
    }

    /// The whole message as bytes.
    package func encoded() -> [UInt8] {
        var bytes = Header(.itinerary).encoded()
        bytes.reserveCapacity(bytes.count + stops.count * 8)
        for stop in stops {
            bytes.append(littleEndian: stop.node)
            bytes.append(littleEndian: stop.responder)
            bytes.append(littleEndian: UInt16(0))
        }
        return bytes
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The fixed beginning of every message: 48 bytes, little-endian, no padding.
///
/// One layout serves all commands. The daemon turns a trigger into a visit by overwriting these bytes in
/// place, without access to the fields and the payload after them. Protocol.md has a table for each command
/// with the meaning of each member.
@usableFromInline
package struct Header: Equatable, Sendable {
    /// The size of a header in bytes.
    @inlinable package static var byteCount: Int { 48 }

    /// The number that stands for no node.
    @inlinable package static var noNode: UInt32 { .max }

    @usableFromInline package var command: Command
    @usableFromInline package var flags: HeaderFlags
    @usableFromInline package var index: UInt16
    @usableFromInline package var fieldsLength: UInt32
    @usableFromInline package var node: UInt32
    @usableFromInline package var name: UInt32
    @usableFromInline package var id: UInt64
    @usableFromInline package var sequence: UInt64
    @usableFromInline package var origin: UInt32
    @usableFromInline package var session: UInt32
    @usableFromInline package var time: UInt32
    @usableFromInline package var code: UInt32

    @inlinable @inline(__always)
    package init(
        _ command: Command, flags: HeaderFlags = [], index: UInt16 = 0, fieldsLength: UInt32 = 0,
        node: UInt32 = Header.noNode, name: UInt32 = 0, id: UInt64 = 0, sequence: UInt64 = 0,
        origin: UInt32 = Header.noNode, session: UInt32 = 0, time: UInt32 = 0, code: UInt32 = 0
    ) {
        self.command = command
        self.flags = flags
        self.index = index
        self.fieldsLength = fieldsLength
        self.node = node
        self.name = name
        self.id = id
        self.sequence = sequence
        self.origin = origin
        self.session = session
        self.time = time
        self.code = code
    }

    /// Reads the header of a whole message. Throws ``WireError`` if the message is too short, the
    /// command is unknown, or the fields are longer than the rest of the message.
    @inlinable @inline(__always)
    package init(parsing message: UnsafeRawBufferPointer) throws(WireError) {
        guard message.count >= Header.byteCount else {
            throw WireError.shorterThanHeader(message.count)
        }
        guard let command = Command(rawValue: message[0]) else {
            throw WireError.unknownCommand(message[0])
        }
        func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Value {
            Value(littleEndian: message.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
        self.init(
            command, flags: HeaderFlags(rawValue: message[1]), index: load(2),
            fieldsLength: load(4), node: load(8), name: load(12), id: load(16), sequence: load(24),
            origin: load(32), session: load(36), time: load(40), code: load(44))
        guard Int(fieldsLength) <= message.count - Header.byteCount else {
            throw WireError.fieldsBeyondEnd(fieldsLength, of: message.count)
        }
    }

    /// Writes the header over the first ``byteCount`` bytes of `message`.
    @inlinable
    package func write(into message: UnsafeMutableRawBufferPointer) {
        precondition(message.count >= Header.byteCount, "no room for a header")
        func store(_ value: some FixedWidthInteger & BitwiseCopyable, _ offset: Int) {
            message.storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value))
        }
        message[0] = command.rawValue
        message[1] = flags.rawValue
        store(index, 2)
        store(fieldsLength, 4)
        store(node, 8)
        store(name, 12)
        store(id, 16)
        store(sequence, 24)
        store(origin, 32)
        store(session, 36)
        store(time, 40)
        store(code, 44)
    }
}

extension WireError {
    @usableFromInline @inline(never)
    static func shorterThanHeader(_ byteCount: Int) -> WireError {
        WireError("the message has \(byteCount) bytes, a header has \(Header.byteCount)")
    }

    @usableFromInline @inline(never)
    static func unknownCommand(_ number: UInt8) -> WireError {
        WireError(.unknownCommand, "there is no command \(number)")
    }

    @usableFromInline @inline(never)
    static func fieldsBeyondEnd(_ fieldsLength: UInt32, of byteCount: Int) -> WireError {
        WireError(
            "the header states \(fieldsLength) bytes of fields, "
                + "but the whole message has only \(byteCount) bytes")
    }
}

// MARK: - Flags

/// The flags of a message, one byte. Bits that a command does not name are zero and ignored.
@usableFromInline
package struct HeaderFlags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// trigger: the event starts at the node itself, not at its parent.
    @inlinable package static var includingSelf: HeaderFlags { HeaderFlags(rawValue: 1 << 0) }
    /// change: what the node has accepted counts as lost with it.
    @inlinable package static var abandons: HeaderFlags { HeaderFlags(rawValue: 1 << 0) }
    /// administer: the change applies to the node's subtree.
    @inlinable package static var withSubtree: HeaderFlags { HeaderFlags(rawValue: 1 << 0) }
    /// trigger: a node that is lost after it accepted the event is skipped.
    /// visit of `/`: the event was triggered so.
    @inlinable package static var passOnLoss: HeaderFlags { HeaderFlags(rawValue: 1 << 1) }
    /// outcome: the payload is the reply to a request.
    @inlinable package static var carriesReply: HeaderFlags { HeaderFlags(rawValue: 1 << 1) }
    /// trigger, publish: the daemon sends no outcome.
    /// visit, delivery: the worker sends no accept and no verdict, only credit.
    @inlinable package static var unacknowledged: HeaderFlags { HeaderFlags(rawValue: 1 << 2) }
    /// trigger: the outcome lists the visits.
    /// visit of `/`: the event was triggered so.
    @inlinable package static var wantsTrail: HeaderFlags { HeaderFlags(rawValue: 1 << 3) }
    /// The flags of an event that a visit of `/` carries: a node there may have to trigger the event on
    /// another bus.
    @inlinable package static var ofRootVisit: HeaderFlags {
        HeaderFlags(
            rawValue: sentAgain.rawValue | passOnLoss.rawValue | wantsTrail.rawValue)
    }
    /// trigger, publish: fields contain the name or the path, in place of the header's numbers.
    @inlinable package static var addressedInFields: HeaderFlags { HeaderFlags(rawValue: 1 << 4) }
    /// verdict: the node has accepted its next visit, in the order of delivery.
    @inlinable package static var nextAccepted: HeaderFlags { HeaderFlags(rawValue: 1 << 5) }
    /// query: the daemon answers again whenever the answer changes.
    @inlinable package static var repeating: HeaderFlags { HeaderFlags(rawValue: 1 << 6) }
    /// trigger, publish: a redelivery; the origin sent the message on an earlier connection and got
    /// no outcome there.
    /// visit, delivery: the origin has redelivered the message, so the node may have seen it before.
    @inlinable package static var sentAgain: HeaderFlags { HeaderFlags(rawValue: 1 << 6) }

    /// trigger: the event is on disk from before it is accepted until its origin has its outcome.
    @inlinable package static var durable: HeaderFlags { HeaderFlags(rawValue: 1 << 7) }
    /// publish: the publication is retained for later subscribers.
    /// delivery: the publication was retained before the node subscribed.
    @inlinable package static var retained: HeaderFlags { HeaderFlags(rawValue: 1 << 7) }

    /// Whether all of `flags` are set. The implementation of `OptionSet` is not specialized across
    /// modules, so this one replaces it.
    @inlinable
    package func contains(_ flags: HeaderFlags) -> Bool {
        rawValue & flags.rawValue == flags.rawValue
    }
}

// MARK: - Command

/// The kind of a message, its first byte. Protocol.md has a table for each command.
@usableFromInline
package enum Command: UInt8, Sendable, CaseIterable {
    // A session and its nodes
    case hello = 1
    case welcome = 2
    case attach = 3
    case attached = 4
    case change = 5
    case leave = 6
    case detached = 7
    case refused = 8
    case violation = 9
    case beat = 10
    case credit = 11
    case define = 12
    case done = 13
    case moved = 14

    // Events on their way up
    case trigger = 16
    case visit = 17
    case accept = 18
    case verdict = 19
    case outcome = 20
    case itinerary = 21
    case cancel = 22
    case accepted = 23

    // Publications on their way down
    case publish = 24
    case delivery = 25

    // Outcomes of durable events
    case settled = 26
    case received = 27
    case recall = 28

    // Inspection and administration
    case query = 32
    case answer = 33
    case activate = 34
    case administer = 35

    // Environment and preferences
    case set = 40
    case environment = 41
}

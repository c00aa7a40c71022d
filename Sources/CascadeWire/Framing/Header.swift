// SPDX-License-Identifier: Apache-2.0

/// The fixed beginning of every message: 48 bytes, little-endian, no padding.
///
/// One layout serves all commands, so that the daemon turns a trigger into a visit by writing these
/// bytes anew in place, in front of fields and payload that it need not look at. What each member
/// means for a command, Protocol.md says in that command's table.
@usableFromInline
package struct Header: Equatable, Sendable {
    /// The size of a header in bytes.
    @inlinable package static var byteCount: Int { 48 }

    /// Stands for no node.
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

    /// Reads the header of a whole message; throws ``WireError`` if it is too short, names no
    /// command, or announces more fields than there are bytes.
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
    fileprivate static func shorterThanHeader(_ byteCount: Int) -> WireError {
        WireError("the message has \(byteCount) bytes, a header has \(Header.byteCount)")
    }

    fileprivate static func unknownCommand(_ number: UInt8) -> WireError {
        WireError(.unknownCommand, "there is no command \(number)")
    }

    fileprivate static func fieldsBeyondEnd(_ fieldsLength: UInt32, of byteCount: Int) -> WireError
    {
        WireError(
            "the header announces \(fieldsLength) bytes of fields, "
                + "but the message has only \(byteCount) bytes")
    }
}

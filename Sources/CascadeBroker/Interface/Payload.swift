// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The bytes of one message, header included, as long as anything refers to it.
///
/// The memory belongs to a subclass: ``OwnedPayload`` for bytes of its own. The broker reads from it
/// at any time and never writes; a header that goes out in front of it comes with
/// ``Effect/forward(_:)``. Belongs to the thread of the broker that keeps it, or moves to another
/// thread together with that broker. Open, for a class of this package that has subclasses in
/// another module has to be.
open class Payload: @unchecked Sendable {
    // One thread at a time has it, and no access takes longer than a load or a store: they need not
    // be checked for exclusivity, which costs each message more than all else that it is read for.

    @exclusivity(unchecked) package final private(set) var start: UnsafeRawPointer?
    /// Bytes of the message, as they are charged to the user that sent it.
    @exclusivity(unchecked) package final private(set) var count: Int
    /// Whether a send of it may still be queued, so that its bytes must not be overwritten. Its
    /// owner says so with each send that does not give the memory away; the broker takes it back
    /// when the receiver has answered, and so has read it.
    @exclusivity(unchecked) package final private(set) var mayBeQueued = false

    /// The account that it is charged to, and with how many bytes: 0 as long as it is not.
    @exclusivity(unchecked) final var account = AccountTable.own
    @exclusivity(unchecked) final var chargedByteCount = 0

    /// - Parameter bytes: memory that stays as it is until this goes or is relocated.
    package init(_ bytes: UnsafeRawBufferPointer) {
        start = bytes.baseAddress
        count = bytes.count
    }

    /// Says where the bytes are from now on: its owner has moved them, or given them away.
    package final func relocate(to bytes: UnsafeRawBufferPointer) {
        start = bytes.baseAddress
        count = bytes.count
    }

    // Another module's accesses to the flag itself would be checked even so.

    /// A send of it may be queued from now on.
    package final func markQueued() {
        mayBeQueued = true
    }

    /// No send of it is queued any more.
    package final func markRead() {
        mayBeQueued = false
    }

    /// What counts for a message beside its bytes: its record, its delivery, its deadline and their
    /// places in queues take some kilobyte, however short it is.
    static let recordByteCount = 1024

    /// Stands where there is none.
    static let empty = Payload(UnsafeRawBufferPointer(start: nil, count: 0))
}

// MARK: - Reading

extension Payload {
    package final var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Bytes of the fields behind the header. Whatever header is written over it has the same.
    package final var fieldsLength: UInt32 {
        guard count >= Header.byteCount else {
            return 0
        }
        let length = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        return min(UInt32(littleEndian: length), UInt32(clamping: count - Header.byteCount))
    }

    /// The fields of the message.
    package final var fields: [UInt8] {
        let length = Int(fieldsLength)
        guard length > 0 else {
            return []
        }
        return Array(bytes[Header.byteCount..<(Header.byteCount + length)])
    }

    final var fieldReader: FieldReader {
        FieldReader(fields)
    }

    /// What is behind the fields.
    package final var body: UnsafeRawBufferPointer {
        guard count > Header.byteCount else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(
            rebasing: bytes[(Header.byteCount + Int(fieldsLength))...])
    }

    /// Fields and body.
    package final var content: UnsafeRawBufferPointer {
        guard count > Header.byteCount else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(rebasing: bytes[Header.byteCount...])
    }
}

/// A message in memory of its own.
package final class OwnedPayload: Payload, @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    /// A copy of a message.
    package init(_ message: some Collection<UInt8>) {
        memory = .allocate(byteCount: message.count, alignment: 8)
        memory.copyBytes(from: message)
        super.init(UnsafeRawBufferPointer(memory))
    }

    /// A message that the broker makes: the header says no more than how long the fields are, for
    /// another one goes out in its place.
    init(fields: [UInt8], body: some Collection<UInt8>) {
        let start = Header.byteCount + fields.count
        memory = .allocate(byteCount: start + body.count, alignment: 8)
        Header(.visit, fieldsLength: UInt32(fields.count)).write(into: memory)
        UnsafeMutableRawBufferPointer(rebasing: memory[Header.byteCount..<start])
            .copyBytes(from: fields)
        UnsafeMutableRawBufferPointer(rebasing: memory[start...]).copyBytes(from: body)
        super.init(UnsafeRawBufferPointer(memory))
    }

    deinit {
        memory.deallocate()
    }
}

extension Header {
    /// Whether the broker looks at the message's fields: they are copied only where it does.
    var isReadByBroker: Bool {
        switch command {
        case .trigger:
            flags.contains(.addressedInFields) || LaneCode(rawValue: code)?.lane == .error
        case .publish: flags.contains(.addressedInFields)
        default: true
        }
    }

    /// Whether the bytes after a verdict's fields are passed on to another node or peer.
    var carriesPayload: Bool {
        switch VerdictCode(rawValue: code) {
        case .replaced, .failed, .answered: true
        case _: false
        }
    }
}

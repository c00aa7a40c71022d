// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The bytes of one message, header included, for as long as a record refers to it.
///
/// The memory belongs to a subclass, for example ``OwnedPayload``. The broker reads it at any time
/// and never writes; a new header for the same payload is part of ``Effect/forward(_:)``. A payload
/// belongs to the thread of its broker, and moves to another thread only together with that broker.
/// Open, because a class of this package with subclasses in another module has to be.
open class Payload: @unchecked Sendable {
    // One thread at a time has it, and no access takes longer than a load or a store: they need not
    // be checked for exclusivity, which costs each message more than all else that it is read for.

    @exclusivity(unchecked) package final private(set) var start: UnsafeRawPointer?
    /// Bytes of the message, as they are charged to the user that sent it.
    @exclusivity(unchecked) package final private(set) var count: Int
    /// Whether a send of it may still be queued, so that its bytes must not be overwritten. Its
    /// owner sets this with each send that shares the memory; the broker clears it when the
    /// receiver has answered, and thus has read it.
    @exclusivity(unchecked) package final private(set) var mayBeQueued = false

    /// The account that it is charged to, and with how many bytes: 0 as long as it is not.
    @exclusivity(unchecked) final var account = AccountTable.own
    @exclusivity(unchecked) final var chargedByteCount = 0

    /// - Parameter bytes: memory that stays unchanged until this payload is released or relocated.
    package init(_ bytes: UnsafeRawBufferPointer) {
        start = bytes.baseAddress
        count = bytes.count
    }

    /// Sets the address of the bytes after its owner has moved or handed over the memory.
    package final func relocate(to bytes: UnsafeRawBufferPointer) {
        start = bytes.baseAddress
        count = bytes.count
    }

    // Another module's accesses to the flag itself would be checked even so.

    /// A send of it may be queued from now on.
    package final func markQueued() {
        mayBeQueued = true
    }

    /// Records that no send of it is queued.
    package final func markRead() {
        mayBeQueued = false
    }

    /// Bytes charged for a message in addition to its own: its record, its delivery, its deadline
    /// and their entries in queues take about a kilobyte.
    static let recordByteCount = 1024

    /// The payload of a message without bytes.
    static let empty = Payload(UnsafeRawBufferPointer(start: nil, count: 0))
}

// MARK: - Reading

extension Payload {
    package final var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Bytes of the fields behind the header. Whatever header is written over it has the same.
    @inline(__always)
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

    /// The bytes after the fields.
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

/// A message in its own memory.
package final class OwnedPayload: Payload, @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    /// A copy of a message.
    package init(_ message: some Collection<UInt8>) {
        memory = .allocate(byteCount: message.count, alignment: 8)
        memory.copyBytes(from: message)
        super.init(UnsafeRawBufferPointer(memory))
    }

    /// A message made by the broker. Its header contains only the length of the fields, for another
    /// header is sent in its place.
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

    /// Whether the message is a request of a node.
    var isRequest: Bool {
        command == .trigger && LaneCode(rawValue: code)?.lane == .request
    }

    /// Whether the bytes after a verdict's fields are passed on to another node or peer.
    var carriesPayload: Bool {
        switch VerdictCode(rawValue: code) {
        case .replaced, .failed, .answered: true
        case _: false
        }
    }
}

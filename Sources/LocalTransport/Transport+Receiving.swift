// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Glibc
package import ZMTP

/// Receiving. All connections receive into one buffer. A connection holds memory only for the beginning
/// of an unfinished message, or for messages that are processed later; a large message is received
/// behind its beginning, so that its bytes are not moved for each read.
extension Transport {
    /// The received bytes of one connection, while their events are returned.
    struct Reception {
        let id: ConnectionID
        let bytes: UnsafeRawBufferPointer
        /// Whether the bytes are those that the connection holds, and not in the shared buffer.
        let isHeld: Bool
        /// Whether the read has filled its buffer, so that more bytes may wait in the socket.
        let isFull: Bool
        var cursor = 0
        var frameBudget = framesPerConnection

        func contains(_ frame: UnsafeRawBufferPointer) -> Bool {
            guard let start = bytes.baseAddress, let first = frame.baseAddress else {
                return false
            }
            return start <= first && first + frame.count <= start + bytes.count
        }
    }

    /// Held bytes up to this number are moved in front of the next read, instead of being read behind.
    static let movedByteCountMax = 4_096

    /// Returns the next event of the turn; `nil` at its end. Memory that an earlier event refers to
    /// is no longer valid.
    package mutating func next(at now: Duration) -> TransportEvent? {
        releaseKept()
        removeDoomed(at: now)
        deadlinesPassed(at: now)
        while true {
            if let event = events.popFirst() {
                return event
            }
            if hasPendingAccepts {
                acceptConnections(at: now)
            } else if current != nil {
                if let event = process(at: now) {
                    return event
                }
                if current != nil {
                    return nil
                }
            } else if frameBudget > 0, stepBudget > 0, let id = readable.popFirst() {
                begin(id, at: now)
            } else {
                return nil
            }
        }
    }

    /// The next frame of a message that the last event has reported, where it was received. Valid until
    /// the next event is asked for, or the turn ends.
    package func nextFrame(_ frames: inout Message.Frames) -> UnsafeRawBufferPointer? {
        guard let bytes = current?.bytes, let range = frames.next(in: bytes.bytes) else {
            return nil
        }
        return UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// Returns a frame of the last event's message for as long as the owner refers to it. A large frame is
    /// not copied if nothing was received behind it: the owner gets the memory that it was received into.
    /// It must fill at least half of that memory, because the owner counts the bytes of the frame alone.
    package mutating func keep(_ frame: UnsafeRawBufferPointer) -> SharedBytes {
        guard let reception = current, reception.isHeld, kept == nil,
            frame.count >= Self.sharedByteCount, reception.cursor == reception.bytes.count,
            reception.contains(frame), let connection = table[reception.id],
            frame.count >= connection.pointee.held.capacity / 2
        else {
            return SharedBytes(copying: frame)
        }
        var memory: UnsafeMutableRawPointer?
        hold(connection) { memory = $0.takeMemory() }
        guard let memory else {
            preconditionFailure("a held reception has memory")
        }
        let bytes = SharedBytes(frame, in: memory)
        kept = bytes
        return bytes
    }

    /// Ends the use of memory that the owner keeps: nothing in it is left to process.
    private mutating func releaseKept() {
        guard kept != nil else {
            return
        }
        kept = nil
        if let reception = current {
            current = Reception(
                id: reception.id, bytes: UnsafeRawBufferPointer(start: nil, count: 0),
                isHeld: false, isFull: reception.isFull, frameBudget: reception.frameBudget)
        }
    }

    // MARK: - Reading

    /// Makes a connection the current one if it has bytes to process.
    private mutating func begin(_ id: ConnectionID, at now: Duration) {
        guard let connection = table[id], !connection.pointee.isDoomed,
            !connection.pointee.isClosing
        else {
            return
        }
        connection.pointee.isQueued = false
        if connection.pointee.hasEvents {
            current = Reception(
                id: id, bytes: connection.pointee.held.bytes, isHeld: true, isFull: true)
        } else {
            read(id, connection, at: now)
        }
    }

    private mutating func read(
        _ id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>, at now: Duration
    ) {
        let heldCount = connection.pointee.held.count
        let isMoved = heldCount <= Self.movedByteCountMax
        let room: UnsafeMutableRawBufferPointer
        if isMoved {
            room = UnsafeMutableRawBufferPointer(rebasing: shared[heldCount...])
        } else {
            let byteCountNeeded = connection.pointee.engine.byteCountNeeded
            let hasGrown = hold(connection) { $0.makeRoom(byteCountNeeded: byteCountNeeded) }
            guard !hasGrown || limitHeldBytes(of: id, connection, hasEvents: false, at: now) else {
                return
            }
            room = connection.pointee.held.room
        }
        let count = recv(connection.pointee.descriptor, room.baseAddress, room.count, 0)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN && errno != EINTR
                || connection.pointee.hasEnded || connection.pointee.endsWhenDrained
            {
                endOfStream(id, connection, at: now)
            }
            return
        }
        let isFull = count == room.count
        guard isMoved else {
            connection.pointee.held.extend(by: count)
            current = Reception(
                id: id, bytes: connection.pointee.held.bytes, isHeld: true, isFull: isFull)
            return
        }
        if heldCount > 0 {
            shared.copyMemory(from: connection.pointee.held.bytes)
            hold(connection) { $0.removeAll() }
        }
        current = Reception(
            id: id, bytes: UnsafeRawBufferPointer(rebasing: shared[..<(heldCount + count)]),
            isHeld: false, isFull: isFull)
    }

    private mutating func endOfStream(
        _ id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>, at now: Duration
    ) {
        let heldCount = connection.pointee.held.count
        _ = connection.pointee.engine.endOfStream(unconsumedByteCount: heldCount)
        end(id, connection, at: now)
    }

    // MARK: - Processing

    /// Returns the next event of the current connection. Returns `nil` at the end of the turn, or
    /// when another connection becomes the current one.
    private mutating func process(at now: Duration) -> TransportEvent? {
        guard var reception = current, let connection = table[reception.id] else {
            current = nil
            return nil
        }
        let id = reception.id
        let bytes = reception.bytes
        // A separate variable: a span of the reception would put the reception on the heap.
        var cursor = reception.cursor
        while true {
            reception.cursor = cursor
            guard !connection.pointee.isClosing, reception.frameBudget > 0 else {
                stop(reception, connection, hasEvents: true, at: now)
                return nil
            }
            guard frameBudget > 0, stepBudget > 0 else {
                current = reception
                return nil
            }
            stepBudget -= 1
            let event = connection.pointee.engine.next(in: bytes.bytes, at: &cursor)
            reception.cursor = cursor
            switch event {
            case .send(let output):
                append(output, id, connection)
            case .opened:
                connection.pointee.wasOpened = true
                table.setKnown(id)
                if !connection.pointee.isOutgoing {
                    // No limit of the user counts the memory of the metadata.
                    connection.pointee.engine.dropMetadata()
                    admission.open(id, of: connection.pointee.credentials.userID)
                }
                current = reception
                return .connected(id)
            case .message(let message):
                reception.frameBudget -= message.frameCount
                frameBudget -= message.frameCount
                current = reception
                return .message(id, message)
            case .pong:
                reception.frameBudget -= 1
            case .unknownCommand(let name):
                reception.frameBudget -= 1
                if !connection.pointee.hasSentUnknownCommand {
                    connection.pointee.hasSentUnknownCommand = true
                    current = reception
                    return .unknownCommand(
                        connection.pointee.credentials, name: bytes.bytes.textForDisplay(name))
                }
            case .failed:
                current = nil
                end(id, connection, at: now)
                return nil
            case nil:
                stop(reception, connection, hasEvents: false, at: now)
                return nil
            }
        }
    }

    /// Ends the processing of the current connection, which keeps what is not consumed.
    private mutating func stop(
        _ reception: Reception, _ connection: UnsafeMutablePointer<PeerConnection>,
        hasEvents: Bool, at now: Duration
    ) {
        current = nil
        let hasGrown = hold(connection) { held in
            if reception.isHeld {
                held.removeFirst(reception.cursor)
            } else {
                held.replace(
                    with: UnsafeRawBufferPointer(rebasing: reception.bytes[reception.cursor...]))
            }
        }
        connection.pointee.hasEvents = hasEvents
        updateInterest(reception.id, connection)
        guard
            !hasGrown || limitHeldBytes(of: reception.id, connection, hasEvents: hasEvents, at: now)
        else {
            return
        }
        if hasEvents || reception.isFull || connection.pointee.hasEnded
            || connection.pointee.endsWhenDrained
        {
            queueReading(reception.id, connection)
        }
    }

    // MARK: - Ends

    /// Ends a connection that has failed or whose peer has gone, and reports that.
    mutating func end(
        _ id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>,
        _ reason: DisconnectReason? = nil, at now: Duration
    ) {
        let reason =
            reason ?? connection.pointee.engine.fault.map { .fault($0) } ?? .closedByPeer
        let credentials = connection.pointee.credentials
        if !connection.pointee.hasEnded {
            // As much as the socket accepts at once, an ERROR for example.
            _ = connection.pointee.output.flush(to: connection.pointee.descriptor, &pool)
        }
        events.append(
            connection.pointee.wasOpened || connection.pointee.isOutgoing
                ? .disconnected(id, credentials, reason) : .refused(credentials, .ended(reason)))
        remove(id, at: now)
    }
}

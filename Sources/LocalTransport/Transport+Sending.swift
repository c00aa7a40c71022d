// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZMTP

/// Sending: frames are encoded behind each other, and written at the end of the turn, with one system
/// call for each connection. The bytes that a peer has yet to read are counted.
extension Transport {
    /// Sends a frame whose body is `first` and `second` behind each other; both are copied. Returns whether
    /// the connection was still there to send to.
    @discardableResult
    package mutating func send(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        hasMore: Bool = false, to id: ConnectionID
    ) -> Bool {
        guard let connection = open(id) else {
            return false
        }
        let header = FrameHeader(bodyByteCount: first.count + second.count, hasMore: hasMore)
        let headerByteCount = header.encodedByteCount
        connection.pointee.output.willAppend(frameByteCount: header.bodyByteCount)
        connection.pointee.output.append(
            headerByteCount + first.count + second.count, &pool
        ) { memory in
            Self.encode(header, into: memory)
            Self.copy(first, to: memory + headerByteCount)
            Self.copy(second, to: memory + headerByteCount + first.count)
        }
        queueFlush(id, connection)
        return true
    }

    /// Sends a frame whose body is `first`, which is copied, and the shared bytes from `start` on, which
    /// are written from where they are.
    @discardableResult
    package mutating func send(
        _ first: UnsafeRawBufferPointer, _ shared: SharedBytes, from start: Int = 0,
        hasMore: Bool = false, to id: ConnectionID
    ) -> Bool {
        precondition((0...shared.count).contains(start), "The shared bytes are shorter")
        guard let connection = open(id) else {
            return false
        }
        let header = FrameHeader(
            bodyByteCount: first.count + shared.count - start, hasMore: hasMore)
        let headerByteCount = header.encodedByteCount
        connection.pointee.output.willAppend(frameByteCount: header.bodyByteCount)
        connection.pointee.output.append(headerByteCount + first.count, &pool) { memory in
            Self.encode(header, into: memory)
            Self.copy(first, to: memory + headerByteCount)
        }
        connection.pointee.output.append(shared, from: start)
        queueFlush(id, connection)
        return true
    }

    /// The bytes of a connection that are not written; 0 if it has ended.
    package func waitingByteCount(of id: ConnectionID) -> Int {
        table[id]?.pointee.output.byteCount ?? 0
    }

    /// The size of the largest frame since all output of a connection was written.
    package func largestFrameByteCount(of id: ConnectionID) -> Int {
        table[id]?.pointee.output.largestFrameByteCount ?? 0
    }

    /// The bytes that the flush of the last turn has left unwritten, for connections of a user.
    package func waitingByteCount(ofUser userID: UInt32) -> Int {
        admission.waitingByteCount(of: userID)
    }

    /// The bytes that the flush of the last turn has left unwritten.
    package var waitingByteCount: Int {
        admission.waitingByteCount
    }

    /// Counts for its user what a connection has yet to write.
    mutating func countOutput(of connection: UnsafeMutablePointer<PeerConnection>) {
        let change = connection.pointee.output.byteCount - connection.pointee.countedByteCount
        if change != 0, !connection.pointee.isOutgoing {
            connection.pointee.countedByteCount += change
            admission.wait(change, of: connection.pointee.credentials.userID)
        }
    }

    /// Drops what a connection has yet to write.
    mutating func discardOutput(of connection: UnsafeMutablePointer<PeerConnection>) {
        connection.pointee.output.discard(&pool)
        countOutput(of: connection)
    }

    /// A connection that messages may be sent to.
    private func open(_ id: ConnectionID) -> UnsafeMutablePointer<PeerConnection>? {
        guard let connection = table[id], connection.pointee.engine.isOpen,
            !connection.pointee.isClosing, !connection.pointee.hasEnded,
            !connection.pointee.isDoomed
        else {
            return nil
        }
        return connection
    }

    /// Sends what the engine itself has to say.
    mutating func append(
        _ output: Output, _ id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>
    ) {
        guard !connection.pointee.hasEnded else {
            return
        }
        let byteCount = connection.pointee.engine.encodedByteCount(of: output)
        connection.pointee.output.append(byteCount, &pool) { memory in
            var span = OutputRawSpan(
                buffer: UnsafeMutableRawBufferPointer(start: memory, count: byteCount),
                initializedCount: 0)
            connection.pointee.engine.encode(output, into: &span)
            let count = span.finalize(
                for: UnsafeMutableRawBufferPointer(start: memory, count: byteCount))
            precondition(count == byteCount, "an output has the size that it says")
        }
        queueFlush(id, connection)
    }

    private static func copy(
        _ bytes: UnsafeRawBufferPointer, to memory: UnsafeMutableRawPointer
    ) {
        if let source = bytes.baseAddress {
            memory.copyMemory(from: source, byteCount: bytes.count)
        }
    }

    private static func encode(_ header: FrameHeader, into memory: UnsafeMutableRawPointer) {
        let buffer = UnsafeMutableRawBufferPointer(
            start: memory, count: header.encodedByteCount)
        var span = OutputRawSpan(buffer: buffer, initializedCount: 0)
        header.encode(into: &span)
        _ = span.finalize(for: buffer)
    }

    // MARK: - Flushing

    mutating func queueFlush(
        _ id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>
    ) {
        if !connection.pointee.isUnflushed {
            connection.pointee.isUnflushed = true
            unflushed.append(id)
        }
    }

    /// Ends a turn: writes to each connection what its socket takes.
    package mutating func flush(at now: Duration) {
        blocked.removeAll(keepingCapacity: blocked.count <= 1_024)
        for id in unflushed {
            if let connection = table[id] {
                connection.pointee.isUnflushed = false
                flush(id, connection, at: now)
            }
        }
        unflushed.removeAll(keepingCapacity: unflushed.count <= 1_024)
        removeDoomed(at: now)
    }

    private mutating func flush(
        _ id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>, at now: Duration
    ) {
        guard !connection.pointee.isDoomed else {
            return
        }
        let result = connection.pointee.output.flush(to: connection.pointee.descriptor, &pool)
        flushed(id, connection, result, at: now)
    }

    /// Continues after a write to a connection.
    mutating func flushed(
        _ id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>,
        _ result: OutputQueue.FlushResult, at now: Duration
    ) {
        switch result {
        case .done:
            if connection.pointee.isClosing {
                doom(id, connection)
                return
            }
            connection.pointee.isBlocked = false
        case .blocked:
            connection.pointee.isBlocked = true
            blocked.append(id)
        case .starved:
            // The event loop would report the socket as writable at once, and again and again.
            connection.pointee.isBlocked = false
            blocked.append(id)
            starved.append(id)
            writingResumes = writingResumes ?? now + Self.writingPause
        case .broken:
            discardOutput(of: connection)
            connection.pointee.hasEnded = true
            connection.pointee.isBlocked = false
            if connection.pointee.isClosing {
                doom(id, connection)
                return
            }
            queueReading(id, connection)
        }
        countOutput(of: connection)
        updateInterest(id, connection)
    }

    /// How long the kernel has to find memory.
    private static let writingPause = Duration.milliseconds(100)

    /// Writes again, at the end of the turn, what the kernel had no memory for.
    mutating func resumeWriting() {
        writingResumes = nil
        for id in starved {
            if let connection = table[id] {
                queueFlush(id, connection)
            }
        }
        starved = []
    }

    /// Waits for those events of a connection that it can use.
    func updateInterest(
        _ id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>
    ) {
        var interest: Epoll.Events = []
        if !connection.pointee.isClosing {
            interest.insert(.readable)
        }
        if connection.pointee.isBlocked {
            interest.insert(.writable)
        }
        if interest != connection.pointee.interest {
            connection.pointee.interest = interest
            epoll.modify(connection.pointee.descriptor, interest, token: Token.of(id))
        }
    }
}

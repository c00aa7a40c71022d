// SPDX-License-Identifier: Apache-2.0

import CNATS
import Glibc
import ZeroMQ

/// The socket of a connection that the owner's thread reads, in place of the library's threads.
///
/// Between a message and the owner stood two threads of the library, each of which had to be woken. With TLS
/// they are needed: the library waits for the rest of a record, and must not keep the owner waiting.
///
/// The library's functions for external event loops use it. Any thread may make the library send; whichever does
/// also writes, and wakes the owner's thread if the library does so by itself.
final class ServerSocket: Sendable {
    private static let discardedCountMax = 64
    private static let discardedByteCountMax = 65_536

    /// How long the socket may take no bytes.
    private let writeMilliseconds: Int32
    // Set once, while the connection is opened.
    private nonisolated(unsafe) var handle: OpaquePointer?
    private let lock = Lock()
    // Only read and changed under the lock.
    private nonisolated(unsafe) var openDescriptor: Int32?
    private nonisolated(unsafe) var hasOutput = false
    /// The calls of ``call(_:)`` under way.
    private nonisolated(unsafe) var callCount = 0
    /// Held while the library writes: without output it would end the connection.
    private let writing = Lock()
    /// Has an element while the library waits for the owner's thread to write.
    private let wakeup: PollableQueue<Bool>
    // Used by the owner's thread: the messages to be destroyed.
    private nonisolated(unsafe) var discarded: [OpaquePointer] = []
    private nonisolated(unsafe) var discardedByteCount = 0

    /// Throws ``ServerError`` if the process has reached its limit of descriptors.
    init(writeMilliseconds: Int32) throws(ServerError) {
        self.writeMilliseconds = writeMilliseconds
        do throws(ZeroMQError) {
            wakeup = try PollableQueue()
        } catch {
            throw ServerError(error)
        }
    }

    /// The descriptor; `nil` before the connection is open, and after its end.
    private var descriptor: Int32? {
        lock.withLock { openDescriptor }
    }

    var pollItems: [PollItem] {
        descriptor.map { [.fileDescriptor($0), wakeup.pollItem] } ?? []
    }

    /// Makes connections with these options use this socket, which must outlive them.
    func configure(_ options: OpaquePointer?) -> natsStatus {
        natsOptions_SetEventLoop(
            options, Unmanaged.passUnretained(self).toOpaque(),
            { userData, socket, connection, descriptor in
                userData?.pointee = socket
                ServerSocket.at(socket)?.open(connection, descriptor)
                return NATS_OK
            },
            { socket, isReading in
                if !isReading {
                    ServerSocket.at(socket)?.close()
                }
                return NATS_OK
            },
            { socket, isWriting in
                ServerSocket.at(socket)?.hasOutput(isWriting)
                return NATS_OK
            },
            { _ in NATS_OK })
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> ServerSocket? {
        pointer.map { Unmanaged<ServerSocket>.fromOpaque($0).takeUnretainedValue() }
    }

    private func open(_ connection: OpaquePointer?, _ descriptor: Int32) {
        handle = connection
        lock.withLock { openDescriptor = descriptor }
    }

    private func close() {
        lock.withLock { openDescriptor = nil }
    }

    // MARK: - Reading

    /// Reads what has arrived, up to the size of the library's buffer, and writes what it can. Does not wait.
    func read() {
        guard descriptor != nil else {
            return
        }
        _ = wakeup.takeAll()
        call { natsConnection_ProcessReadEvent(handle) }
        write()
    }

    /// Takes the messages that were read.
    ///
    /// - Parameter reply: The reply subject of the last request: the library does not tell which one has no
    ///   subscriber.
    func takeMessages(of subscriptions: [OpaquePointer], lastReply reply: String?) -> [InboxItem] {
        var items: [InboxItem] = []
        for subscription in subscriptions {
            var message: OpaquePointer?
            var status = natsSubscription_NextMsg(&message, subscription, 0)
            while status == NATS_OK || status == NATS_NO_RESPONDERS {
                if status == NATS_OK, let message {
                    InboxItem(message).map { items.append($0) }
                    discard(message)
                } else if let reply {
                    items.append(.noResponders(reply: reply))
                }
                status = natsSubscription_NextMsg(&message, subscription, 0)
            }
        }
        return items
    }

    /// Destroys messages together, because the library wakes a thread for each one that is destroyed alone.
    private func discard(_ message: OpaquePointer) {
        discarded.append(message)
        discardedByteCount += Int(natsMsg_GetDataLength(message))
        if discarded.count >= Self.discardedCountMax
            || discardedByteCount >= Self.discardedByteCountMax
        {
            destroyDiscarded()
        }
    }

    func destroyDiscarded() {
        for message in discarded {
            natsMsg_Destroy(message)
        }
        discarded.removeAll(keepingCapacity: true)
        discardedByteCount = 0
    }

    // MARK: - Writing

    /// Calls a function of the library that may send. The caller writes afterwards.
    func call<Result>(_ body: () -> Result) -> Result {
        lock.withLock { callCount += 1 }
        defer { lock.withLock { callCount -= 1 } }
        return body()
    }

    /// Records whether the library has something to write.
    private func hasOutput(_ hasOutput: Bool) {
        let wakes = lock.withLock {
            self.hasOutput = hasOutput
            return hasOutput && callCount == 0
        }
        if wakes {
            wakeup.append(contentsOf: [true])
        }
    }

    /// Writes all, and waits while the socket takes no bytes. The connection ends if that takes too long.
    func writeAll() {
        while let descriptor, !write() {
            var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&item, 1, writeMilliseconds) == 0 {
                shutDown()
                return
            }
        }
    }

    /// Makes the next read find the end of the connection.
    private func shutDown() {
        // The library tells of the end before it closes the descriptor, and waits for the lock.
        lock.withLock {
            if let openDescriptor {
                shutdown(openDescriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Writes what the socket takes. Returns whether that was all.
    @discardableResult private func write() -> Bool {
        writing.withLock {
            if lock.withLock({ hasOutput }) {
                natsConnection_ProcessWriteEvent(handle)
            }
            return lock.withLock { !hasOutput }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CNATS
import Glibc
import Synchronization
import ZeroMQ

/// The socket of a connection that the owner's thread reads, in place of the library's threads.
///
/// Between a message and the owner stood two threads of the library, each of which had to be woken. With TLS
/// they are needed: the library waits for the rest of a record, and must not keep the owner waiting.
///
/// The library's functions for external event loops use it. They write while they hold the connection's lock, as
/// the library itself writes without an event loop.
final class ServerSocket: Sendable {
    private static let none: Int32 = -1
    private static let discardedCountMax = 64
    private static let discardedByteCountMax = 65_536

    /// How long the socket may take no bytes.
    private let writeMilliseconds: Int32
    // Set once, while the connection is opened.
    private nonisolated(unsafe) var handle: OpaquePointer?
    private let openDescriptor = Atomic(none)
    private let hasOutput = Atomic(false)
    // Used by the owner's thread: the messages to be destroyed.
    private nonisolated(unsafe) var discarded: [OpaquePointer] = []
    private nonisolated(unsafe) var discardedByteCount = 0

    init(writeMilliseconds: Int32) {
        self.writeMilliseconds = writeMilliseconds
    }

    /// The descriptor; `nil` before the connection is open, and after its end.
    private var descriptor: Int32? {
        let descriptor = openDescriptor.load(ordering: .acquiring)
        return descriptor == Self.none ? nil : descriptor
    }

    var pollItems: [PollItem] {
        descriptor.map { [.fileDescriptor($0)] } ?? []
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
                ServerSocket.at(socket)?.write(isWriting) ?? NATS_OK
            },
            { _ in NATS_OK })
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> ServerSocket? {
        pointer.map { Unmanaged<ServerSocket>.fromOpaque($0).takeUnretainedValue() }
    }

    private func open(_ connection: OpaquePointer?, _ descriptor: Int32) {
        handle = connection
        openDescriptor.store(descriptor, ordering: .releasing)
    }

    private func close() {
        openDescriptor.store(Self.none, ordering: .releasing)
        hasOutput.store(false, ordering: .relaxed)
    }

    /// Reads what has arrived, up to the size of the library's buffer. Does not wait.
    func read() {
        if descriptor != nil {
            natsConnection_ProcessReadEvent(handle)
        }
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

    /// Writes the library's output at once, or records that there is none left.
    private func write(_ isWanted: Bool) -> natsStatus {
        hasOutput.store(isWanted, ordering: .relaxed)
        guard isWanted else {
            return NATS_OK
        }
        while let descriptor {
            // It calls this function again when all is written.
            natsConnection_ProcessWriteEvent(handle)
            guard hasOutput.load(ordering: .relaxed) else {
                break
            }
            var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&item, 1, writeMilliseconds) == 0 {
                // The next read finds the end of the connection.
                shutdown(descriptor, Int32(SHUT_RDWR))
                return NATS_TIMEOUT
            }
        }
        return descriptor == nil ? NATS_CONNECTION_CLOSED : NATS_OK
    }
}

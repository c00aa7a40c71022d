// SPDX-License-Identifier: Apache-2.0

import CNATS
import ZeroMQ

/// What a connection tells its owner.
package enum InboxItem: Equatable, Sendable {
    case message(ReceivedMessage)
    /// The subject of the request with this reply subject has no subscriber.
    case noResponders(reply: String)
    /// The server has refused a subject. The connection stays.
    case refused(ServerError)
    /// A message to this subject was not published, because it exceeds the largest one that the server accepts.
    /// The connection stays.
    case unpublished(subject: String, ServerError)
    /// The connection has ended. Nothing follows.
    case ended(ServerError)
}

extension InboxItem {
    /// Copies a message of the library; `nil` without a subject.
    init?(_ message: OpaquePointer) {
        guard let subject = natsMsg_GetSubject(message).map({ String(cString: $0) }) else {
            return nil
        }
        guard !natsMsg_IsNoResponders(message) else {
            self = .noResponders(reply: subject)
            return
        }
        let bytes = UnsafeRawBufferPointer(
            start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
        self = .message(ReceivedMessage(subject: subject, bytes: Array(bytes)))
    }
}

/// A message of a subscription, in memory of its own.
package struct ReceivedMessage: Equatable, Sendable {
    package let subject: String
    package let bytes: [UInt8]

    package init(subject: String, bytes: [UInt8]) {
        self.subject = subject
        self.bytes = bytes
    }
}

/// The queue between the threads of the library and the thread of the owner.
///
/// The threads of the library copy what they receive, and never wait. The queue is bounded: a message
/// that exceeds the limit together with others is dropped and counted, as the transport may lose any
/// message.
final class Inbox: Sendable {
    private struct State {
        var byteCount = 0
        var droppedCount: UInt64 = 0
    }

    private let queue: PollableQueue<InboxItem>
    private let byteCountMax: Int
    private let lock = Lock()
    // Only read and changed under the lock.
    private nonisolated(unsafe) var state = State()

    /// Throws ``ServerError`` if the process has reached its limit of descriptors.
    init(byteCountMax: Int) throws(ServerError) {
        self.byteCountMax = byteCountMax
        do throws(ZeroMQError) {
            queue = try PollableQueue()
        } catch {
            throw ServerError(error)
        }
    }

    /// The item for the owner's event loop: readable while there are items.
    var pollItem: PollItem {
        queue.pollItem
    }

    /// The number of messages that were dropped because the owner did not take them in time.
    var droppedCount: UInt64 {
        lock.withLock { state.droppedCount }
    }

    /// Removes and returns all items. Does not wait.
    func takeAll() -> [InboxItem] {
        let items = queue.takeAll()
        let byteCount = items.reduce(0) { $0 + $1.byteCount }
        lock.withLock { state.byteCount -= byteCount }
        return items
    }

    func append(_ item: InboxItem) {
        let byteCount = item.byteCount
        let isAccepted = lock.withLock {
            // A message that exceeds the limit alone is accepted, or it would be lost each time.
            guard
                state.byteCount == 0 || byteCount == 0
                    || state.byteCount + byteCount <= byteCountMax
            else {
                state.droppedCount += 1
                return false
            }
            state.byteCount += byteCount
            return true
        }
        if isAccepted {
            queue.append(contentsOf: [item])
        }
    }
}

extension InboxItem {
    /// The bytes that count against the limit of an inbox.
    fileprivate var byteCount: Int {
        if case .message(let message) = self {
            message.bytes.count + message.subject.utf8.count + 64
        } else {
            0
        }
    }
}

/// The inboxes of the open connections, by the token that the library gives back in its callbacks.
///
/// A callback may run while its connection is destroyed, so its context must not be a pointer to memory
/// that the connection frees.
enum InboxRegistry {
    private static let lock = Lock()
    // Only read and changed under the lock.
    private nonisolated(unsafe) static var inboxes: [Int: Inbox] = [:]
    private nonisolated(unsafe) static var lastToken = 0

    static func insert(_ inbox: Inbox) -> Int {
        lock.withLock {
            lastToken += 1
            inboxes[lastToken] = inbox
            return lastToken
        }
    }

    static func remove(_ token: Int) {
        lock.withLock { inboxes[token] = nil }
    }

    static func inbox(_ context: UnsafeMutableRawPointer?) -> Inbox? {
        lock.withLock { inboxes[Int(bitPattern: context)] }
    }
}

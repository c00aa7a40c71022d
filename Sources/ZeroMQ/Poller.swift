// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import Glibc

/// A socket or descriptor to wait for.
///
/// Names the socket without keeping it alive: whoever polls it must own it for as long. Sendable,
/// because the name alone does nothing; only a `Poller` follows it, on the socket's thread.
package struct PollItem: @unchecked Sendable {
    fileprivate let item: zmq_pollitem_t

    private init(socket: UnsafeMutableRawPointer?, descriptor: Int32, isWritable: Bool) {
        let events = isWritable ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN
        item = zmq_pollitem_t(socket: socket, fd: descriptor, events: Int16(events), revents: 0)
    }

    /// Ready when the socket has a message, or, if asked for, room to send one.
    package static func socket(_ socket: borrowing Socket, orWritable: Bool = false) -> PollItem {
        PollItem(socket: socket.handle, descriptor: -1, isWritable: orWritable)
    }

    /// Ready when the descriptor can be read or is at its end.
    package static func fileDescriptor(_ descriptor: Int32) -> PollItem {
        PollItem(socket: nil, descriptor: descriptor, isWritable: false)
    }
}

/// The items of a `zmq_poll`, kept from one wait to the next: waiting allocates nothing.
package struct Poller {
    private var items: [zmq_pollitem_t] = []

    package init() {}

    package var count: Int { items.count }

    /// Returns the index under which the item is asked about.
    @discardableResult
    package mutating func add(_ item: PollItem) -> Int {
        items.append(item.item)
        return items.count - 1
    }

    /// Forgets the items from this index on.
    package mutating func removeItems(from index: Int) {
        items.removeSubrange(index...)
    }

    /// How many items are ready, once one is or the time has passed. Negative waits for ever. An
    /// interruption by a signal ends the wait early, with 0.
    package mutating func wait(timeoutMilliseconds: Int) throws(ZeroMQError) -> Int {
        let ready = items.withUnsafeMutableBufferPointer {
            zmq_poll($0.baseAddress, Int32($0.count), timeoutMilliseconds)
        }
        if ready >= 0 { return Int(ready) }
        for index in items.indices { items[index].revents = 0 }
        guard zmq_errno() == EINTR else { throw ZeroMQError(during: "poll") }
        return 0
    }

    /// Of the last wait. A descriptor in error counts: reading it tells the error.
    package func isReadable(_ index: Int) -> Bool {
        Int32(items[index].revents) & (ZMQ_POLLIN | ZMQ_POLLERR) != 0
    }

    /// Of the last wait.
    package func isWritable(_ index: Int) -> Bool {
        Int32(items[index].revents) & ZMQ_POLLOUT != 0
    }

    /// The whole milliseconds to wait for a deadline, rounded up: never short of it.
    package static func milliseconds(until deadline: UInt64, from now: UInt64) -> Int {
        guard deadline > now else { return 0 }
        let milliseconds = (deadline - now - 1) / 1_000_000 + 1
        return Int(min(milliseconds, UInt64(Int32.max)))
    }
}

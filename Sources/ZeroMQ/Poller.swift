// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import Glibc

/// A socket or descriptor to wait for.
///
/// The item does not retain the socket: the owner must keep the socket as long as it is polled. It is
/// Sendable, because only a `Poller` uses the reference, on the socket's thread.
package struct PollItem: @unchecked Sendable {
    fileprivate let item: zmq_pollitem_t

    private init(socket: UnsafeMutableRawPointer?, descriptor: Int32, isWritable: Bool) {
        let events = isWritable ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN
        item = zmq_pollitem_t(socket: socket, fd: descriptor, events: Int16(events), revents: 0)
    }

    /// The descriptor that poll(2) watches for the item.
    fileprivate var descriptor: Int32 {
        guard let socket = item.socket else { return item.fd }
        var descriptor: Int32 = -1
        var size = MemoryLayout<Int32>.size
        zmq_getsockopt(socket, ZMQ_FD, &descriptor, &size)
        return descriptor
    }

    /// Returns the item that is ready when the socket has a message, or, with `orWritable`, when it can
    /// send one.
    package static func socket(_ socket: borrowing Socket, orWritable: Bool = false) -> PollItem {
        PollItem(socket: socket.handle, descriptor: -1, isWritable: orWritable)
    }

    /// Returns the item that is ready when the descriptor is readable or at its end.
    package static func fileDescriptor(_ descriptor: Int32) -> PollItem {
        PollItem(socket: nil, descriptor: descriptor, isWritable: false)
    }
}

/// A set of items to wait for. It exists across waits, so that waiting allocates nothing.
package struct Poller {
    private var items: [zmq_pollitem_t] = []
    /// The descriptor of each item, or that of its socket.
    private var descriptors: [pollfd] = []

    package init() {}

    /// The number of items.
    package var count: Int { items.count }

    /// Adds an item. Returns its index.
    @discardableResult
    package mutating func add(_ item: PollItem) -> Int {
        items.append(item.item)
        descriptors.append(pollfd(fd: item.descriptor, events: Int16(POLLIN), revents: 0))
        return items.count - 1
    }

    /// Adds items. Returns their indexes.
    package mutating func add(_ items: [PollItem]) -> Range<Int> {
        let first = count
        for item in items { add(item) }
        return first..<count
    }

    /// Removes the items from this index on.
    package mutating func removeItems(from index: Int) {
        items.removeSubrange(index...)
        descriptors.removeSubrange(index...)
    }

    /// Waits until an item is ready or the time has passed. Returns the number of ready items. A negative
    /// timeout waits without a limit. A signal ends the wait early, with 0.
    ///
    /// The descriptor of a socket only signals that the socket's state has changed since it was last read.
    /// The wait therefore reads the state of the sockets before it calls poll(2), so that no change is
    /// missed. (`zmq_poll` works in the same way, but calls poll(2) twice.)
    ///
    /// With `endsOnActivity` the wait also ends, with 0, at activity inside a socket that makes no message
    /// readable, for example when a peer has read messages.
    package mutating func wait(
        timeoutMilliseconds: Int, endsOnActivity: Bool = false
    ) throws(ZeroMQError) -> Int {
        var readyCount = try updateSocketReadiness()
        if readyCount > 0 || timeoutMilliseconds == 0 {
            return try pollDescriptors(0) > 0 ? updateReadiness() : readyCount
        }
        let start = timeoutMilliseconds > 0 ? MonotonicClock.now() : 0
        var timeout = timeoutMilliseconds
        while try pollDescriptors(timeout) > 0 {
            readyCount = try updateReadiness()
            if readyCount > 0 || endsOnActivity { return readyCount }
            // The activity inside a socket made no message readable.
            if timeoutMilliseconds > 0 {
                let elapsed = Int((MonotonicClock.now() - start) / 1_000_000)
                timeout = max(timeoutMilliseconds - elapsed, 0)
            }
        }
        return 0
    }

    private mutating func pollDescriptors(_ timeout: Int) throws(ZeroMQError) -> Int32 {
        let count = poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: timeout))
        guard count < 0 else { return count }
        guard errno == EINTR else { throw ZeroMQError(code: errno, operation: "poll") }
        for index in items.indices { items[index].revents = 0 }
        return 0
    }

    /// Updates the readiness of the sockets. Returns the number of ready sockets.
    private mutating func updateSocketReadiness() throws(ZeroMQError) -> Int {
        var count = 0
        for index in items.indices where items[index].socket != nil {
            items[index].revents = try events(of: items[index])
            if items[index].revents != 0 { count += 1 }
        }
        return count
    }

    /// Updates the readiness of all items after a poll. Returns the number of ready items.
    private mutating func updateReadiness() throws(ZeroMQError) -> Int {
        var count = 0
        for index in items.indices {
            if items[index].socket == nil {
                let isReady = descriptors[index].revents != 0
                items[index].revents = isReady ? Int16(ZMQ_POLLIN) : 0
            } else if descriptors[index].revents != 0 {
                items[index].revents = try events(of: items[index])
            }
            if items[index].revents != 0 { count += 1 }
        }
        return count
    }

    private func events(of item: zmq_pollitem_t) throws(ZeroMQError) -> Int16 {
        var events: Int32 = 0
        var size = MemoryLayout<Int32>.size
        guard zmq_getsockopt(item.socket, ZMQ_EVENTS, &events, &size) == 0 else {
            throw ZeroMQError(during: "poll")
        }
        return Int16(truncatingIfNeeded: events) & item.events
    }

    /// Returns whether the item was readable in the last wait. A descriptor in error counts as readable,
    /// because reading it returns the error.
    package func isReadable(_ index: Int) -> Bool {
        Int32(items[index].revents) & (ZMQ_POLLIN | ZMQ_POLLERR) != 0
    }

    /// Returns whether one of the items was readable in the last wait.
    package func isAnyReadable(_ indexes: Range<Int>) -> Bool {
        indexes.contains { isReadable($0) }
    }

    /// Returns whether the item was writable in the last wait.
    package func isWritable(_ index: Int) -> Bool {
        Int32(items[index].revents) & ZMQ_POLLOUT != 0
    }

    /// Returns the milliseconds until a deadline, rounded up, so that a wait never ends before it. Both
    /// times are in nanoseconds.
    package static func milliseconds(until deadline: UInt64, from now: UInt64) -> Int {
        guard deadline > now else { return 0 }
        let milliseconds = (deadline - now - 1) / 1_000_000 + 1
        return Int(min(milliseconds, UInt64(Int32.max)))
    }
}

// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A set of descriptors and the events that end a wait for them (epoll(7)), level-triggered.
struct Epoll: ~Copyable {
    /// The events of a descriptor.
    struct Events: OptionSet {
        let rawValue: UInt32

        static let readable = Events(rawValue: cascade_epoll_in)
        static let writable = Events(rawValue: cascade_epoll_out)

        /// The connection has ended or failed. It is reported whether it was asked for or not.
        static let ended = Events(rawValue: cascade_epoll_end)
    }

    /// The most descriptors that one wait reports.
    static let readyCountMax = 64

    let descriptor: Int32
    private let ready: UnsafeMutableBufferPointer<cascade_epoll_ready>

    init() throws(SystemError) {
        descriptor = cascade_epoll_create()
        ready = .allocate(capacity: Self.readyCountMax)
        guard descriptor >= 0 else {
            throw SystemError("create an event loop")
        }
    }

    deinit {
        ready.deallocate()
        close(descriptor)
    }

    /// Adds a descriptor. It leaves the set when it is closed.
    func add(_ descriptor: Int32, _ events: Events, token: UInt64) throws(SystemError) {
        guard
            cascade_epoll_add(self.descriptor, descriptor, events.rawValue, token) == 0
        else {
            throw SystemError("wait for a descriptor")
        }
    }

    /// Changes the events of a descriptor in the set.
    func modify(_ descriptor: Int32, _ events: Events, token: UInt64) {
        let result = cascade_epoll_modify(self.descriptor, descriptor, events.rawValue, token)
        precondition(result == 0, "a descriptor to change must be in the set")
    }

    func remove(_ descriptor: Int32) {
        cascade_epoll_remove(self.descriptor, descriptor)
    }

    /// Waits until a descriptor is ready or the time has passed; -1 waits without a limit. Returns the
    /// number of ready descriptors: 0 also after a signal.
    func wait(timeoutMilliseconds: Int32) -> Int {
        let count = cascade_epoll_wait(
            descriptor, ready.baseAddress, Int32(Self.readyCountMax), timeoutMilliseconds)
        precondition(count >= 0 || errno == EINTR, "the event loop was closed during a wait")
        return max(0, Int(count))
    }

    /// A descriptor that the last wait has reported.
    func ready(_ index: Int) -> (token: UInt64, events: Events) {
        (ready[index].token, Events(rawValue: ready[index].events))
    }
}

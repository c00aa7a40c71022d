// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A queue between two threads, with a descriptor for a `Poller` or poll(2).
///
/// The descriptor is readable exactly while the queue has elements, and after ``finish()``. Elements and
/// descriptor change under one lock; otherwise a concurrent removal could leave a readable descriptor
/// without an element, or an element without a readable descriptor.
///
/// Unchecked, because the compiler cannot see that the lock guards the mutable state.
package final class PollableQueue<Element: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var elements: [Element] = []
    private var isFinished = false
    private let eventDescriptor: Int32

    /// Creates an empty queue. Throws `ZeroMQError` if the process has reached its limit of descriptors.
    package init() throws(ZeroMQError) {
        eventDescriptor = cascade_eventfd_create()
        guard eventDescriptor >= 0 else {
            throw ZeroMQError(code: errno, operation: "open a queue between threads")
        }
    }

    deinit {
        if eventDescriptor >= 0 { close(eventDescriptor) }
    }

    /// The item for the consumer's poller.
    package var pollItem: PollItem { .fileDescriptor(eventDescriptor) }

    /// The descriptor for the consumer's event loop.
    package var descriptor: Int32 { eventDescriptor }

    /// Adds elements at the end. Any thread may call it.
    package func append(contentsOf new: [Element]) {
        guard !new.isEmpty else { return }
        lock.withLock {
            if elements.isEmpty { cascade_eventfd_write(eventDescriptor) }
            elements += new
        }
    }

    /// Marks the end of the queue. The consumer's ``next()`` returns `nil` after the last element.
    package func finish() {
        lock.withLock {
            isFinished = true
            cascade_eventfd_write(eventDescriptor)
        }
    }

    /// Removes and returns all elements. Does not wait.
    package func takeAll() -> [Element] {
        lock.withLock {
            guard !elements.isEmpty else { return [] }
            if !isFinished { cascade_eventfd_read(eventDescriptor) }
            defer { elements = [] }
            return elements
        }
    }

    /// Waits for elements, and removes and returns them; `nil` once the queue is finished and
    /// empty.
    package func next() -> [Element]? {
        while true {
            let taken = takeAll()
            if !taken.isEmpty { return taken }
            if lock.withLock({ isFinished && elements.isEmpty }) { return nil }
            var item = pollfd(fd: eventDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&item, 1, -1)
        }
    }
}

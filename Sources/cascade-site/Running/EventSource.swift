// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import ZeroMQ

/// Something whose turn the event loop takes when one of its descriptors is readable, when it has work left, or
/// when its time has come.
protocol EventSource: ~Copyable {
    /// The descriptors that wake the event loop.
    var pollItems: [PollItem] { get }
    /// Whether the next turn has work and must not wait.
    var hasWork: Bool { get }
    /// When the next turn must take place.
    var deadline: Duration? { get }
}

extension EventSource where Self: ~Copyable {
    /// Whether its turn is to be taken.
    ///
    /// - Parameter items: The indexes of ``pollItems`` in the poller, whose wait is over.
    func isDue(at now: Duration, _ items: Range<Int>, _ poller: Poller) -> Bool {
        if poller.isAnyReadable(items) || hasWork {
            return true
        }
        guard let deadline else {
            return false
        }
        return deadline <= now
    }

    /// Waits until its turn is to be taken, and at most until this time. Throws `ZeroMQError` if the system cannot
    /// wait.
    func wait(until end: Duration) throws(ZeroMQError) {
        guard !hasWork else {
            return
        }
        var poller = Poller()
        _ = poller.add(pollItems)
        try poller.wait(until: min(end, deadline ?? end))
    }
}

extension Poller {
    /// Waits until one of the items has something, and at most until this time. Throws `ZeroMQError` if the
    /// system cannot wait.
    mutating func wait(until end: Duration) throws(ZeroMQError) {
        let deadline = UInt64(max(.zero, end).wholeNanoseconds)
        _ = try wait(
            timeoutMilliseconds: Self.milliseconds(until: deadline, from: MonotonicClock.now()))
    }
}

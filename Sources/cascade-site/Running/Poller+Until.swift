// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

extension Poller {
    /// Waits until one of the items has something, and at most until this time. Throws `ZeroMQError` if the
    /// system cannot wait.
    static func wait(for items: [PollItem], until end: Duration) throws(ZeroMQError) {
        var poller = Poller()
        for item in items {
            poller.add(item)
        }
        let remaining = max(.zero, end - MonotonicClock.time)
        _ = try poller.wait(
            timeoutMilliseconds: Int((remaining / .milliseconds(1)).rounded(.up)))
    }
}

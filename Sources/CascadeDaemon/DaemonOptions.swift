// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// What a daemon is told when it starts.
package struct DaemonOptions: Sendable {
    /// As ZeroMQ writes them; at least one.
    package var endpoints: [String]
    package var release: String
    package var graceMilliseconds: UInt32 = 10_000
    package var settleMilliseconds: UInt32 = 2_000
    package var deadlineMilliseconds: UInt32 = 30_000
    package var beatMilliseconds: UInt32 = 1_000
    /// How long a connection may go without a greeting.
    package var greetingMilliseconds: UInt32 = 10_000
    package var reattachMilliseconds: UInt32 = 2_000
    /// Files of rules, and folders of such; none for the default folder.
    package var rules: [String] = []
    /// How long the broker's thread polls before it sleeps, in nanoseconds.
    package var spinNanoseconds: UInt64 = 0
    /// How long events under way may take to end when the daemon stops.
    package var stopMilliseconds: UInt32 = 5_000

    package init(endpoints: [String], release: String) {
        self.endpoints = endpoints
        self.release = release
    }
}

// SPDX-License-Identifier: Apache-2.0

package import CascadePolicy

/// How a broker is set up.
package struct BrokerConfiguration: Sendable {
    /// The bus's name and the daemon's release, for people.
    package var bus: String
    package var release: String
    package var processID: UInt32
    /// The machine's name, for rules to read.
    package var host = ""
    package var limits = Limits()
    /// Whether several users can reach the bus. Each then has a share of the shared tables;
    /// otherwise the one user may use all of them.
    package var isShared = false
    /// The user and group that the daemon runs as, which the node `/` shows; `nil` if they are
    /// unknown. A connection of any other user but root shows that the bus is shared.
    package var userID: UInt32?
    package var groupID: UInt32?
    /// The policy until ``Input/policy(_:)`` replaces it.
    package var policy = Policy.open
    /// How long the path of a lost node is kept vacant, in milliseconds.
    package var graceMilliseconds: UInt32 = 10_000
    /// Time for which a session without a connection may resume and recover its messages, in
    /// milliseconds; 0 disables resuming.
    package var resumeMilliseconds: UInt32 = 60_000
    /// The deadline of an event that names none, in milliseconds.
    package var deadlineMilliseconds: UInt32 = 30_000
    /// The time between two beats, in milliseconds. A peer that leaves three beats without an answer
    /// is unresponsive.
    package var beatMilliseconds: UInt32 = 1_000
    /// How long a connection may stay without a greeting, in milliseconds.
    package var greetingMilliseconds: UInt32 = 10_000
    /// For how long after a restart an event without a handler, or a publication without a
    /// subscriber, waits, in milliseconds; 0 if the bus is new and no session is expected back.
    package var reattachMilliseconds: UInt32 = 0

    /// Whether there is a journal for durable events.
    package var keepsDurable = false
    /// Time for which a durable event without its own time is held, in milliseconds.
    package var durableMilliseconds: UInt32 = 24 * 3_600_000

    /// How long the tree has to be at rest before it is judged whether declared names have
    /// responders, in milliseconds.
    package var settleMilliseconds: UInt32 = 2_000
    /// The largest number of nodes for which metrics are reported one by one.
    package var metricsNodes: UInt32 = 100
    /// The wall clock's reading, in nanoseconds since the beginning of 1970, at the zero of the
    /// clock that drives the broker. It is used for display and for the first rank, which must be
    /// above those of previous daemons.
    package var epochNanoseconds: UInt64 = 0

    package init(bus: String, release: String, processID: UInt32) {
        self.bus = bus
        self.release = release
        self.processID = processID
    }
}

/// The bus in a few numbers.
package struct BrokerSummary: Equatable, Sendable {
    /// Places in the tree below the root, vacant ones included: the nodes that the limit `nodes`, the
    /// metrics and the counters of the bus count.
    package var nodeCount: Int
    package var sessionCount: Int
    /// Events and publications since the daemon began.
    package var raisedCount: UInt64
    package var undeliveredCount: Int
}

extension Broker {
    package var summary: BrokerSummary {
        BrokerSummary(
            nodeCount: hierarchy.count - 1,
            sessionCount: peers.greeted.count,
            raisedCount: observers.counters.triggered + observers.counters.published,
            undeliveredCount: traffic.undelivered.count)
    }
}

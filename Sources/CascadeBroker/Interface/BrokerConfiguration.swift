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
    /// Whether several users can reach the bus. Then each has a share of what all use; otherwise
    /// the one user may use all of it.
    package var isShared = false
    /// The user that the bus runs as, where that is known: a connection of any other user but root
    /// shows that the bus is shared.
    package var userID: UInt32?
    /// The policy until ``Input/policy`` replaces it.
    package var policy = Policy.open
    /// How long the path of a lost node is kept vacant, in milliseconds.
    package var graceMilliseconds: UInt32 = 10_000
    /// For how long a session without a connection may come back and find what it had raised, in
    /// milliseconds; 0 for not at all.
    package var resumeMilliseconds: UInt32 = 60_000
    /// The deadline of an event that names none, in milliseconds.
    package var deadlineMilliseconds: UInt32 = 30_000
    /// How often each peer is asked for a sign of life, in milliseconds; three missed, and it is
    /// unresponsive.
    package var beatMilliseconds: UInt32 = 1_000
    /// How long a connection may stay without a greeting, in milliseconds.
    package var greetingMilliseconds: UInt32 = 10_000
    /// For how long after a restart an event without a handler, or a publication without a
    /// subscriber, waits, in milliseconds; 0 if the bus is new and no session is expected back.
    package var reattachMilliseconds: UInt32 = 0

    /// Whether there is a journal for durable events.
    package var keepsDurable = false
    /// For how long a durable event is held that does not say, in milliseconds.
    package var durableMilliseconds: UInt32 = 24 * 3_600_000

    /// How long the tree has to be at rest before it is judged whether declared names have
    /// responders, in milliseconds.
    package var settleMilliseconds: UInt32 = 2_000
    /// Metrics name nodes one by one as long as there are no more of them.
    package var metricsNodes: UInt32 = 100
    /// What the wall clock showed, in nanoseconds since the beginning of 1970, when the clock that
    /// drives the broker stood at zero. It is for people to read, and decides where ranks begin:
    /// those of the daemons before are lower.
    package var epochNanoseconds: UInt64 = 0

    package init(bus: String, release: String, processID: UInt32) {
        self.bus = bus
        self.release = release
        self.processID = processID
    }
}

/// The bus in a few numbers.
package struct BrokerSummary: Equatable, Sendable {
    /// Nodes that are held.
    package var nodeCount: Int
    package var sessionCount: Int
    /// Events and publications since the daemon began.
    package var raisedCount: UInt64
    package var undeliveredCount: Int
}

extension Broker {
    package var summary: BrokerSummary {
        let greeted = peers.greeted
        return BrokerSummary(
            nodeCount: greeted.reduce(0) { $0 + peers[$1].nodes.count },
            sessionCount: greeted.count,
            raisedCount: observers.counters.triggered + observers.counters.published,
            undeliveredCount: traffic.undelivered.count)
    }
}

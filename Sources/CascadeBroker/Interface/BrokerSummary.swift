// SPDX-License-Identifier: Apache-2.0

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

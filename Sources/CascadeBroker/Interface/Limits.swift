// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// Every bound of the bus. What exceeds one is refused with an error that names it.
package struct Limits: Equatable, Sendable {
    /// Components of a path.
    package var depth: UInt32 = UInt32(NodePath.depthMax)
    /// Nodes in the tree, vacant ones included.
    package var nodes: UInt32 = 1 << 20
    package var nodesPerSession: UInt32 = 1024
    package var respondersPerNode: UInt32 = 1024
    package var subscriptionsPerNode: UInt32 = 1024
    /// Distinct names of events and publications.
    package var names: UInt32 = 1 << 16
    /// Connections, sessions and nodes of one user.
    package var connectionsPerUser: UInt32 = 16_384
    package var sessionsPerUser: UInt32 = 16_384
    package var nodesPerUser: UInt32 = 1 << 18
    /// Bytes of messages and values that are kept for one user.
    package var bytesPerUser: UInt32 = 256 << 20
    /// Triggers and publications of one session that are under way.
    package var credit: UInt32 = 2048
    /// Sessions without a connection that are remembered; the oldest go first.
    package var absentSessions: UInt32 = 1024
    /// Bytes of outcomes, replies most of all, that are kept to be told one session again; the
    /// oldest go first.
    package var replyBytes: UInt32 = 16 << 20
    /// Bytes that one node may have to answer before it is sent more.
    package var prefetchBytes: UInt32 = 64 << 20
    /// Bytes that may wait for one peer to read them; one that exceeds it is given up.
    package var unreadBytes: UInt32 = 64 << 20
    /// Bytes that wait in the daemon to be read by peers, or to be processed, of all together; the
    /// session with the most is ended first.
    package var waitingBytes: UInt32 = 512 << 20
    /// Messages of one session that wait to be processed; more end the session.
    package var waitingMessages: UInt32 = 1 << 14
    /// Frames of one ZeroMQ message; more end the session.
    package var framesPerMessage: UInt32 = 4096
    /// Unacknowledged events waiting for one node; more are dropped and counted.
    package var waitingEmits: UInt32 = 1 << 16
    /// Queries of one session that are answered again on each change.
    package var repeatingQueries: UInt32 = 16
    /// Queries of one user that wait for their answers.
    package var queriesPerUser: UInt32 = 256
    /// Steps of one answer: nodes, rules, keys and events that are looked at. What is answered in
    /// one piece may take a sixty-fourth.
    package var querySteps: UInt32 = 1 << 22
    /// Causes of one event, one behind the other.
    package var causes: UInt32 = 32
    /// Events that are held, waiting for a responder.
    package var held: UInt32 = 1024
    package var heldBytes: UInt32 = 64 << 20
    /// Undelivered events that are kept, and bytes of them.
    package var undelivered: UInt32 = 1024
    package var undeliveredBytes: UInt32 = 16 << 20
    /// Durable events without an outcome, and bytes of them.
    package var durable: UInt32 = 1 << 14
    package var durableBytes: UInt32 = 64 << 20
    /// Outcomes of durable events that nobody has fetched; the oldest go first.
    package var durableOutcomes: UInt32 = 4096
    /// Values that are retained for subscribers to come.
    package var retained: UInt32 = 1024
    package var retainedBytes: UInt32 = 64 << 20
    /// Sessions that may die while they work on one event, and how many such events are known.
    package var deathsPerEvent: UInt32 = 3
    package var suspects: UInt32 = 1024
    /// Events and publications that have ended and are kept to be looked at.
    package var traces: UInt32 = 4096
    /// Happenings that are kept to be looked at.
    package var happenings: UInt32 = 1024
    /// Happenings on their way to one monitor; more are left out and counted.
    package var monitored: UInt32 = 4096
    /// Keys set, watched or offered by one node, or kept for one path.
    package var keysPerNode: UInt32 = 1024
    /// Bytes of one value of the environment, or of a preference.
    package var valueBytes: UInt32 = 64 << 10
    /// Distinct keys of environment, preferences and rules.
    package var keys: UInt32 = 1 << 16
    /// Values that are kept for paths: set from outside, or sticky.
    package var keptValues: UInt32 = 1 << 16
    package var rulesPerNode: UInt32 = 1024
    /// Rules in all files together.
    package var fileRules: UInt32 = 1 << 16
    /// Bytes of one message.
    package var messageBytes: UInt32 = 16 << 20

    package init() {}

    /// All of them by name, for peers and people.
    package var named: [NamedNumber] {
        [
            NamedNumber("depth", UInt64(depth)),
            NamedNumber("nodes", UInt64(nodes)),
            NamedNumber("nodesPerSession", UInt64(nodesPerSession)),
            NamedNumber("respondersPerNode", UInt64(respondersPerNode)),
            NamedNumber("subscriptionsPerNode", UInt64(subscriptionsPerNode)),
            NamedNumber("names", UInt64(names)),
            NamedNumber("connectionsPerUser", UInt64(connectionsPerUser)),
            NamedNumber("sessionsPerUser", UInt64(sessionsPerUser)),
            NamedNumber("nodesPerUser", UInt64(nodesPerUser)),
            NamedNumber("bytesPerUser", UInt64(bytesPerUser)),
            NamedNumber("credit", UInt64(credit)),
            NamedNumber("absentSessions", UInt64(absentSessions)),
            NamedNumber("replyBytes", UInt64(replyBytes)),
            NamedNumber("prefetchBytes", UInt64(prefetchBytes)),
            NamedNumber("unreadBytes", UInt64(unreadBytes)),
            NamedNumber("waitingBytes", UInt64(waitingBytes)),
            NamedNumber("waitingMessages", UInt64(waitingMessages)),
            NamedNumber("framesPerMessage", UInt64(framesPerMessage)),
            NamedNumber("waitingEmits", UInt64(waitingEmits)),
            NamedNumber("repeatingQueries", UInt64(repeatingQueries)),
            NamedNumber("queriesPerUser", UInt64(queriesPerUser)),
            NamedNumber("querySteps", UInt64(querySteps)),
            NamedNumber("causes", UInt64(causes)),
            NamedNumber("held", UInt64(held)),
            NamedNumber("heldBytes", UInt64(heldBytes)),
            NamedNumber("undelivered", UInt64(undelivered)),
            NamedNumber("undeliveredBytes", UInt64(undeliveredBytes)),
            NamedNumber("durable", UInt64(durable)),
            NamedNumber("durableBytes", UInt64(durableBytes)),
            NamedNumber("durableOutcomes", UInt64(durableOutcomes)),
            NamedNumber("retained", UInt64(retained)),
            NamedNumber("retainedBytes", UInt64(retainedBytes)),
            NamedNumber("deathsPerEvent", UInt64(deathsPerEvent)),
            NamedNumber("suspects", UInt64(suspects)),
            NamedNumber("traces", UInt64(traces)),
            NamedNumber("happenings", UInt64(happenings)),
            NamedNumber("monitored", UInt64(monitored)),
            NamedNumber("keysPerNode", UInt64(keysPerNode)),
            NamedNumber("valueBytes", UInt64(valueBytes)),
            NamedNumber("valueDepth", UInt64(KeyValue.depthMax)),
            NamedNumber("keys", UInt64(keys)),
            NamedNumber("keptValues", UInt64(keptValues)),
            NamedNumber("rulesPerNode", UInt64(rulesPerNode)),
            NamedNumber("fileRules", UInt64(fileRules)),
            NamedNumber("messageBytes", UInt64(messageBytes)),
        ]
    }
}

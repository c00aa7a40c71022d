// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The limits of the bus, each a setting of its own.
extension Setting {
    static let limits: [Setting] = treeLimits + users + traffic + memory + values

    private static func limit(
        _ name: String, _ path: Member<UInt32>,
        in range: ClosedRange<UInt32> = 1...(1 << 30), unit: String = "",
        _ meaning: String, _ effect: Effect = .atReload
    ) -> Setting {
        Setting("limits." + name, .number(path, range), unit: unit, effect, meaning)
    }

    private static let treeLimits = [
        limit("depth", \.limits.depth, in: 1...UInt32(NodePath.depthMax), "Components of a path."),
        limit("nodes", \.limits.nodes, "Nodes in the tree, vacant ones included."),
        limit("nodesPerSession", \.limits.nodesPerSession, "Nodes of one session."),
        limit(
            "respondersPerNode", \.limits.respondersPerNode, in: 1...65_535,
            "Responders of one node."),
        limit("subscriptionsPerNode", \.limits.subscriptionsPerNode, "Subscriptions of one node."),
        limit("names", \.limits.names, "Distinct names of events and publications."),
        limit(
            "absentSessions", \.limits.absentSessions, in: 0...(1 << 20),
            "Sessions without a connection that are remembered; the oldest go first. 0 for none."),
    ]

    private static let users = [
        limit(
            "connectionsPerUser", \.limits.connectionsPerUser,
            "Connections of one user; as far as there are descriptors for them.", .atRestart),
        limit("sessionsPerUser", \.limits.sessionsPerUser, "Sessions of one user."),
        limit("nodesPerUser", \.limits.nodesPerUser, "Nodes of one user."),
        limit(
            "bytesPerUser", \.limits.bytesPerUser, in: 1024...(1 << 31), unit: "bytes",
            "Messages and values that are kept for one user."),
    ]

    private static let traffic = [
        limit(
            "credit", \.limits.credit, in: 1...(1 << 20),
            "Triggers and publications of one session that are under way.", .atRestart),
        limit(
            "messageBytes", \.limits.messageBytes, in: 1024...(1 << 29), unit: "bytes",
            "One message, header and fields included.", .atRestart),
        limit(
            "prefetchBytes", \.limits.prefetchBytes, in: 1024...(1 << 31), unit: "bytes",
            "What one node may have to answer before it is sent more."),
        limit(
            "unreadBytes", \.limits.unreadBytes, in: 1024...(1 << 31), unit: "bytes",
            "What may wait for one peer to read it; one that exceeds it is given up."),
        limit(
            "waitingBytes", \.limits.waitingBytes, in: 1024...UInt32.max, unit: "bytes",
            "What may wait to be read or processed, of all peers; the one with the most goes first."
        ),
        limit(
            "waitingMessages", \.limits.waitingMessages, in: 64...(1 << 20),
            "Messages of one session that may wait to be processed; more end the session."),
        limit(
            "framesPerMessage", \.limits.framesPerMessage, in: 64...(1 << 20),
            "Frames of one ZeroMQ message; more end the session."),
        limit(
            "replyBytes", \.limits.replyBytes, in: 0...(1 << 31), unit: "bytes",
            "Outcomes that are kept to be told one session again; the oldest go first. 0 for one."),
        limit(
            "deathsPerEvent", \.limits.deathsPerEvent,
            "Sessions that may die while they work on one event, before that is stopped."),
        limit(
            "waitingEmits", \.limits.waitingEmits,
            "Unacknowledged events waiting for one node; more are dropped and counted."),
        limit(
            "causes", \.limits.causes, in: 1...65_534,
            "Causes of one event, one behind the other."),
        limit(
            "repeatingQueries", \.limits.repeatingQueries, in: 0...65_535,
            "Queries of one session that are answered again on each change. 0 for none."),
        limit(
            "queriesPerUser", \.limits.queriesPerUser, in: 0...(1 << 20),
            "Queries of one user that wait for their answers. With 0 only those that are answered at "
                + "once are."),
        limit(
            "querySteps", \.limits.querySteps, in: (1 << 10)...(1 << 30),
            "Nodes, rules, keys and events that one answer may look at; a sixty-fourth of that "
                + "for an answer in one piece."),
        limit(
            "monitored", \.limits.monitored,
            "Happenings on their way to one monitor; more are left out and counted."),
    ]

    private static let memory = [
        limit(
            "held", \.limits.held, in: 0...(1 << 24),
            "Events that are held, waiting for a responder. 0 for none."),
        limit(
            "heldBytes", \.limits.heldBytes, in: 0...(1 << 31), unit: "bytes",
            "Events that are held, together. 0 for none."),
        limit(
            "undelivered", \.limits.undelivered, in: 0...(1 << 24),
            "Undelivered events that are kept. 0 for none."),
        limit(
            "undeliveredBytes", \.limits.undeliveredBytes, in: 0...(1 << 30), unit: "bytes",
            "Undelivered events that are kept, together. 0 for those without a payload."),
        limit(
            "durable", \.limits.durable, in: 0...(1 << 24),
            "Durable events without an outcome. 0 for none."),
        limit(
            "durableBytes", \.limits.durableBytes, in: 0...(1 << 31), unit: "bytes",
            "Durable events without an outcome, together. 0 for none."),
        limit(
            "durableOutcomes", \.limits.durableOutcomes, in: 0...(1 << 24),
            "Unfetched outcomes of durable events; the oldest go first. 0 for none."),
        limit(
            "retained", \.limits.retained, in: 0...(1 << 24),
            "Values that are retained for subscribers to come. 0 for none."),
        limit(
            "retainedBytes", \.limits.retainedBytes, in: 0...(1 << 31), unit: "bytes",
            "Values that are retained, together. 0 for none."),
        limit(
            "suspects", \.limits.suspects, in: 0...(1 << 24),
            "Events that sessions died with and that are known. 0 stops no such event."),
        limit(
            "traces", \.limits.traces, in: 0...(1 << 24),
            "Events and publications that have ended and are kept to be looked at. 0 for none."),
        limit(
            "happenings", \.limits.happenings, in: 0...(1 << 24),
            "Happenings that are kept to be looked at. 0 for none."),
    ]

    private static let values = [
        limit(
            "keysPerNode", \.limits.keysPerNode,
            "Keys set, watched or offered by one node, or kept for one path."),
        limit(
            "valueBytes", \.limits.valueBytes, unit: "bytes",
            "One value of the environment, or of a preference."),
        limit(
            "keys", \.limits.keys,
            "Distinct keys of environment, preferences and rules."),
        limit(
            "keptValues", \.limits.keptValues,
            "Values that are kept for paths: set from outside, or sticky."),
        limit("rulesPerNode", \.limits.rulesPerNode, "Rules of one node."),
        limit("fileRules", \.limits.fileRules, "Rules in all files together."),
    ]
}

// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The value of every limit of the bus. A request that exceeds one is refused with an error that
/// names it. ``Limit/all`` describes each.
package struct Limits: Equatable, Sendable {
    package var depth: UInt32 = UInt32(NodePath.depthMax)
    package var pathBytes: UInt32 = 4096
    package var nodes: UInt32 = 1 << 20
    package var sites: UInt32 = 1024
    package var nodesPerSession: UInt32 = 1024
    package var declarationsPerSession: UInt32 = 1 << 14
    package var respondersPerNode: UInt32 = 1024
    package var subscriptionsPerNode: UInt32 = 1024
    package var names: UInt32 = 1 << 16
    package var disconnectedSessions: UInt32 = 1024
    package var connectionsPerUser: UInt32 = 16_384
    package var sessionsPerUser: UInt32 = 16_384
    package var nodesPerUser: UInt32 = 1 << 18
    package var bytesPerUser: UInt32 = 256 << 20
    package var credit: UInt32 = 2048
    package var messageBytes: UInt32 = 16 << 20
    package var prefetchBytes: UInt32 = 64 << 20
    package var unreadBytes: UInt32 = 64 << 20
    package var waitingBytes: UInt32 = 512 << 20
    package var waitingMessages: UInt32 = 1 << 14
    package var framesPerMessage: UInt32 = 4096
    package var replyBytes: UInt32 = 16 << 20
    package var crashesPerEvent: UInt32 = 3
    package var waitingEmits: UInt32 = 1 << 16
    package var predicateSteps: UInt32 = 1 << 20
    package var recipients: UInt32 = 1 << 14
    package var causes: UInt32 = 32
    package var repeatingQueries: UInt32 = 16
    package var monitors: UInt32 = 64
    package var queriesPerUser: UInt32 = 256
    package var querySteps: UInt32 = 1 << 22
    package var monitored: UInt32 = 4096
    package var held: UInt32 = 1024
    package var heldBytes: UInt32 = 64 << 20
    package var undelivered: UInt32 = 1024
    package var undeliveredBytes: UInt32 = 16 << 20
    package var durable: UInt32 = 1 << 14
    package var durableBytes: UInt32 = 64 << 20
    package var durableOutcomes: UInt32 = 4096
    package var retained: UInt32 = 1024
    package var retainedBytes: UInt32 = 64 << 20
    package var quarantined: UInt32 = 1024
    package var traces: UInt32 = 4096
    package var monitorEvents: UInt32 = 1024
    package var keysPerNode: UInt32 = 1024
    package var valueBytes: UInt32 = 64 << 10
    package var keys: UInt32 = 1 << 16
    package var keptValues: UInt32 = 1 << 16
    package var rulesPerNode: UInt32 = 1024
    package var fileRules: UInt32 = 1 << 16

    package init() {}

    /// Throws if the count is above the limit of this name.
    static func check(
        _ count: Int, _ what: String, _ limit: UInt32, named name: String
    ) throws(WireError) {
        guard count <= Int(limit) else {
            throw WireError(
                .limitReached, "\(count) \(what), more than \(limit) (limit \(name))")
        }
    }

    /// All limits by name, and the fixed depth of values, for peers and for display.
    package var named: [NamedNumber] {
        Limit.all.map { NamedNumber($0.name, UInt64(self[keyPath: $0.member])) }
            + [NamedNumber("valueDepth", UInt64(KeyValue.depthMax))]
    }
}

/// A limit of the bus, described once: settings with their files, flags and help, the lists for
/// peers and for display, and the sizes of shared tables all come from here.
package struct Limit: Sendable {
    package typealias Member = any WritableKeyPath<Limits, UInt32> & Sendable

    /// The name that errors and settings use: that of its member of ``Limits``.
    package let name: String
    package let member: Member
    /// The values that an administrator may choose.
    package let range: ClosedRange<UInt32>
    /// The unit; empty if the meaning names it.
    package let unit: String
    /// The bounded quantity, and the meaning of 0 where it is allowed, in sentences.
    package let meaning: String
    /// Whether a changed value takes effect only after a restart.
    package let takesRestart: Bool

    private init(
        _ name: String, _ member: Member, in range: ClosedRange<UInt32> = 1...(1 << 30),
        unit: String = "", _ meaning: String, takesRestart: Bool = false
    ) {
        self.name = name
        self.member = member
        self.range = range
        self.unit = unit
        self.meaning = meaning
        self.takesRestart = takesRestart
    }
}

extension Limit: Hashable {
    package static func == (left: Limit, right: Limit) -> Bool {
        left.name == right.name
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

/// Every limit, in the order of the documentation.
extension Limit {
    /// The present names of limits, by the names that release 0.1.0 used.
    package static let formerNames = [
        "absentSessions": "disconnectedSessions", "deathsPerEvent": "crashesPerEvent",
        "happenings": "monitorEvents", "suspects": "quarantined",
    ]

    package static let all: [Limit] = tree + users + traffic + memory + values

    private static let tree = [
        Limit("depth", \.depth, in: 1...UInt32(NodePath.depthMax), "Components of a path."),
        Limit(
            "pathBytes", \.pathBytes, in: 1...UInt32(NodePath.byteCountMax), unit: "bytes",
            "One path of the tree."),
        Limit("nodes", \.nodes, "Nodes in the tree, vacant ones included."),
        Limit("sites", \.sites, "Mounts: buses that stand below this one."),
        Limit("nodesPerSession", \.nodesPerSession, "Nodes of one session."),
        Limit(
            "declarationsPerSession", \.declarationsPerSession,
            "Elements declared by the nodes of one session: responders, names, keys, values and "
                + "rules; each 64 bytes of predicates and rules count as one more."),
        Limit(
            "respondersPerNode", \.respondersPerNode, in: 1...65_535,
            "Responders of one node."),
        Limit("subscriptionsPerNode", \.subscriptionsPerNode, "Subscriptions of one node."),
        Limit("names", \.names, "Distinct names of events and publications."),
        Limit(
            "disconnectedSessions", \.disconnectedSessions, in: 0...(1 << 20),
            "Sessions kept without a connection; the oldest are dropped first. 0 for none."),
    ]

    private static let users = [
        Limit(
            "connectionsPerUser", \.connectionsPerUser,
            "Connections of one user; fewer if the daemon has too few descriptors.",
            takesRestart: true
        ),
        Limit("sessionsPerUser", \.sessionsPerUser, "Sessions of one user."),
        Limit("nodesPerUser", \.nodesPerUser, "Nodes of one user."),
        Limit(
            "bytesPerUser", \.bytesPerUser, in: 1024...(1 << 31), unit: "bytes",
            "Messages and values stored for one user."),
    ]

    private static let traffic = [
        Limit(
            "credit", \.credit, in: 1...(1 << 20),
            "Triggers and publications of one session under way.", takesRestart: true),
        Limit(
            "messageBytes", \.messageBytes, in: 1024...(1 << 29), unit: "bytes",
            "One message, header and fields included.", takesRestart: true),
        Limit(
            "prefetchBytes", \.prefetchBytes, in: 1024...(1 << 31), unit: "bytes",
            "Unanswered deliveries of one node; further ones wait."),
        Limit(
            "unreadBytes", \.unreadBytes, in: 1024...(1 << 31), unit: "bytes",
            "Unread output of one peer; a peer above the limit is disconnected."),
        Limit(
            "waitingBytes", \.waitingBytes, in: 1024...UInt32.max, unit: "bytes",
            "Unread output and unprocessed input of all peers; above the limit the peer with the "
                + "most is disconnected."
        ),
        Limit(
            "waitingMessages", \.waitingMessages, in: 64...(1 << 20),
            "Unprocessed messages of one session; more end the session."),
        Limit(
            "framesPerMessage", \.framesPerMessage, in: 64...(1 << 20),
            "Frames of one ZeroMQ message; more end the session."),
        Limit(
            "replyBytes", \.replyBytes, in: 0...(1 << 31), unit: "bytes",
            "Outcomes kept for one session to be sent again; the oldest are dropped first. 0 for "
                + "one."),
        Limit(
            "crashesPerEvent", \.crashesPerEvent,
            "Sessions that end while they handle one event before it is quarantined."),
        Limit(
            "waitingEmits", \.waitingEmits,
            "Unacknowledged events waiting for one node; more are dropped and counted."),
        Limit(
            "predicateSteps", \.predicateSteps, in: (1 << 10)...(1 << 30),
            "Steps of all predicates of one event: bytes of strings compared, or matched against 64 "
                + "bytes of a pattern."),
        Limit(
            "recipients", \.recipients, "Recipients of one publication."),
        Limit(
            "causes", \.causes, in: 1...65_534,
            "Length of an event's chain of causes."),
        Limit(
            "repeatingQueries", \.repeatingQueries, in: 0...65_535,
            "Repeating queries of one session, answered again on each change. 0 for none."),
        Limit(
            "monitors", \.monitors, in: 0...65_535,
            "Monitors of all sessions; each costs time with every event. 0 for none."),
        Limit(
            "queriesPerUser", \.queriesPerUser, in: 0...(1 << 20),
            "Waiting queries of one user. With 0 only queries with an immediate answer are answered."
        ),
        Limit(
            "querySteps", \.querySteps, in: (1 << 10)...(1 << 30),
            "Nodes, rules, keys and events examined for one answer; a sixty-fourth of that for an "
                + "answer in one piece."),
        Limit(
            "monitored", \.monitored,
            "Unread monitor events of one monitor; more are omitted and counted."),
    ]

    private static let memory = [
        Limit(
            "held", \.held, in: 0...(1 << 24),
            "Events held until a responder attaches. 0 for none."),
        Limit(
            "heldBytes", \.heldBytes, in: 0...(1 << 31), unit: "bytes",
            "All held events together. 0 for none."),
        Limit(
            "undelivered", \.undelivered, in: 0...(1 << 24),
            "Undelivered events kept for inspection. 0 for none."),
        Limit(
            "undeliveredBytes", \.undeliveredBytes, in: 0...(1 << 30), unit: "bytes",
            "All undelivered events together. 0 for those without a payload."),
        Limit(
            "durable", \.durable, in: 0...(1 << 24),
            "Durable events without an outcome. 0 for none."),
        Limit(
            "durableBytes", \.durableBytes, in: 0...(1 << 31), unit: "bytes",
            "Durable events without an outcome and stored outcomes together. 0 for none."
        ),
        Limit(
            "durableOutcomes", \.durableOutcomes, in: 0...(1 << 24),
            "Stored outcomes of durable events; the oldest are dropped first. 0 for none."),
        Limit(
            "retained", \.retained, in: 0...(1 << 24),
            "Publications retained for later subscribers. 0 for none."),
        Limit(
            "retainedBytes", \.retainedBytes, in: 0...(1 << 31), unit: "bytes",
            "All retained publications together. 0 for none."),
        Limit(
            "quarantined", \.quarantined, in: 0...(1 << 24),
            "Events recorded because sessions ended while they handled them. 0 for none, and no "
                + "quarantine."),
        Limit(
            "traces", \.traces, in: 0...(1 << 24),
            "Ended events and publications kept for inspection. 0 for none."),
        Limit(
            "monitorEvents", \.monitorEvents, in: 0...(1 << 24),
            "Monitor events kept for inspection. 0 for none."),
    ]

    private static let values = [
        Limit(
            "keysPerNode", \.keysPerNode,
            "Keys set, watched or offered by one node, or set for one path."),
        Limit(
            "valueBytes", \.valueBytes, unit: "bytes",
            "One value of the environment, or of a preference."),
        Limit(
            "keys", \.keys,
            "Distinct keys of environment, preferences and rules."),
        Limit(
            "keptValues", \.keptValues,
            "Values set for paths: from outside, or sticky."),
        Limit("rulesPerNode", \.rulesPerNode, "Rules of one node."),
        Limit("fileRules", \.fileRules, "Rules in all files together."),
    ]
}

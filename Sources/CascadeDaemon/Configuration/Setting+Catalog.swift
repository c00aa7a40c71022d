// SPDX-License-Identifier: Apache-2.0

/// Every option of the daemon, in the order in which people read about them.
extension Setting {
    package static let all: [Setting] = listening + timing + files + looking + limits

    /// The setting of a key, known to be one.
    package static func of(_ key: String) -> Setting {
        guard let setting = named(key) else {
            preconditionFailure("there is no setting '\(key)'")
        }
        return setting
    }

    package static func named(_ key: String) -> Setting? {
        byKey[key]
    }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    private static let day: UInt32 = 86_400_000

    private static let listening = [
        Setting(
            "listen", .list(\.endpoints, atLeast: 1), unit: "endpoint", .atRestart,
            "Where to listen, as ZeroMQ writes it: ipc:///path/to/socket."),
        Setting(
            "spin", .number(\.spinMicroseconds, 0...1_000_000), unit: "microseconds", .atRestart,
            "For how long to poll before sleeping: shorter round trips for a busier core."),
    ]

    private static let timing = [
        Setting(
            "grace", .duration(\.graceMilliseconds, 0...7 * day), .atReload,
            "How long a lost node's path is kept vacant."),
        Setting(
            "settle", .duration(\.settleMilliseconds, 0...day), .atReload,
            "How long the tree is at rest before declarations are judged."),
        Setting(
            "deadline", .duration(\.deadlineMilliseconds, 1...day), .atReload,
            "The deadline of an event that names none."),
        Setting(
            "beat", .duration(\.beatMilliseconds, 10...3_600_000), .atRestart,
            """
            How often a process is asked for a sign of life. Three missed, it is unresponsive.
            """),
        Setting(
            "reattach", .duration(\.reattachMilliseconds, 0...3_600_000), .atRestart,
            "How long a restarted daemon waits for its nodes to come back."),
        Setting(
            "resume", .duration(\.resumeMilliseconds, 0...day), .atReload,
            """
            For how long a session without a connection may come back and find what it had raised.
            """),
        Setting(
            "greeting", .duration(\.greetingMilliseconds, 100...3_600_000), .atRestart,
            "How long a connection may go without a greeting before it is closed."),
        Setting(
            "stop", .duration(\.stopMilliseconds, 0...3_600_000), .atReload,
            "How long events under way may take to end when the daemon stops."),
    ]

    private static let files = [
        Setting(
            "rules", .list(\.rules), unit: "path", .atReload,
            """
            Files of rules, and folders of files that end in .rules; none for \
            /etc/cascade/rules.d, if it is there. A reload reads them again.
            """),
        Setting(
            "policy", .list(\.policy), unit: "path", .atReload,
            """
            Files of policy, and folders of files that end in .policy; none for \
            /etc/cascade/policy.d, if it is there. A reload reads them again.
            """),
        Setting(
            "curveKey", .text(\.curveKey), .atRestart,
            """
            The file with the key of the bus, as 'cascadectl keygen' writes it: tcp is served to \
            those only who prove to have an authorized key. systemd's credential 'curve-key' by \
            default.
            """),
        Setting(
            "authorizedKeys", .text(\.authorizedKeys), .atReload,
            "The file with the public keys that may come in. A reload reads it again."),
        Setting(
            "allowPlainTcp", .flag(\.allowsPlainTCP), .atRestart,
            "Whether tcp is served to other machines even without a key of the bus."),
        Setting(
            "stateDirectory", .text(\.stateDirectory), .atRestart,
            """
            The folder for what survives the daemon; $STATE_DIRECTORY, which systemd sets, by \
            default. Without it there are no durable events.
            """),
    ]

    private static let looking = [
        Setting(
            "log.level", .choice(\.logLevel, LogLevel.names), .atReload,
            "What to log: this and all that is worse."),
        Setting(
            "log.format", .choice(\.logFormat, LogFormat.allCases.map(\.rawValue)), .atRestart,
            """
            How to log: to systemd's journal with all its fields; as text with the time; as lines \
            with the priority in front, as systemd reads them. auto finds out what standard error \
            is connected to.
            """),
        Setting(
            "metricsSocket", .text(\.metricsSocket), .atRestart,
            "A unix socket that tells metrics in Prometheus' text format; none by default."),
        Setting(
            "metricsNodes", .number(\.metricsNodes, 0...10_000), unit: "nodes", .atReload,
            "Metrics name nodes one by one as long as the tree has no more than so many."),
    ]
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeService

/// Every setting of the daemon, in the order of help and documentation.
extension Setting {
    package static let all: [Setting] = listening + timing + files + observation + limits

    /// The setting of a key. Traps if there is none.
    package static func of(_ key: String) -> Setting {
        guard let setting = named(key) else {
            preconditionFailure("unknown setting '\(key)'")
        }
        return setting
    }

    /// The setting of a key; `nil` if there is none.
    package static func named(_ key: String) -> Setting? {
        byKey[key]
    }

    /// The present keys of settings, by the keys that earlier releases used.
    static let formerKeys = Dictionary(
        uniqueKeysWithValues: Limit.formerNames.map { ("limits.\($0.key)", "limits.\($0.value)") })

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    private static let day: UInt32 = 86_400_000

    private static let listening = [
        Setting(
            "listen", .list(\.endpoints, atLeast: 1, fault: Endpoint.fault), unit: "endpoint",
            .atRestart,
            "Endpoints to listen on: ipc:///path/to/socket, tcp://ADDRESS:PORT."),
        Setting(
            "transport",
            .choice(\.transport, LocalTransportChoice.allCases.map(\.rawValue)), .atRestart,
            """
            Implementation of ZeroMQ's protocol on unix sockets: the daemon's own, or libzmq, which \
            is slower and bounds floods of connections less well. tcp is always served by libzmq.
            """),
        Setting(
            "spin", .number(\.spinMicroseconds, 0...1_000_000), unit: "microseconds", .atRestart,
            "Time that the broker polls before it sleeps: shorter round trips for a busier core."),
    ]

    private static let timing = [
        Setting(
            "grace", .duration(\.graceMilliseconds, 0...7 * day), .atReload,
            "Time that the path of a lost node is kept vacant."),
        Setting(
            "settle", .duration(\.settleMilliseconds, 0...day), .atReload,
            "Time without changes of the tree before declarations are judged."),
        Setting(
            "deadline", .duration(\.deadlineMilliseconds, 1...day), .atReload,
            "Deadline of an event that has none of its own."),
        Setting(
            "beat", .duration(\.beatMilliseconds, 10...3_600_000), .atRestart,
            "Interval of heartbeats. A process that misses three of them is unresponsive."),
        Setting(
            "reattach", .duration(\.reattachMilliseconds, 0...3_600_000), .atRestart,
            "Time that a restarted daemon waits for its nodes to attach again."),
        Setting(
            "resume", .duration(\.resumeMilliseconds, 0...day), .atReload,
            "Time for which a disconnected session can resume and learn the outcomes it missed."),
        Setting(
            "greeting", .duration(\.greetingMilliseconds, 100...3_600_000), .atRestart,
            "Time after which a connection without a greeting is closed."),
        Setting(
            "stop", .duration(\.stopMilliseconds, 0...3_600_000), .atReload,
            "Time for events being handled to end when the daemon stops."),
    ]

    private static let files = [
        Setting(
            "rules", .list(\.rules), unit: "path", .atReload,
            """
            Rule files, and folders of files that end in .rules; without any, \
            /etc/cascade/rules.d, if it exists. A reload reads them again.
            """),
        Setting(
            "policy", .list(\.policy), unit: "path", .atReload,
            """
            Policy files, and folders of files that end in .policy; without any, \
            /etc/cascade/policy.d, if it exists. A reload reads them again.
            """),
        Setting(
            "curveKey", .text(\.curveKey), .atRestart,
            """
            File with the key of the bus, written by 'cascadectl keygen': only peers with an \
            authorized key are served on tcp. systemd's credential 'curve-key' by default.
            """),
        Setting(
            "authorizedKeys", .text(\.authorizedKeys), .atReload,
            "File with the authorized public keys. A reload reads it again."),
        Setting(
            "allowPlainTcp", .flag(\.allowsPlainTCP), .atRestart,
            "Whether tcp is served to other machines even without a key."),
        Setting(
            "stateDirectory", .text(\.stateDirectory), .atRestart,
            """
            Folder for the state that survives the daemon; systemd's $STATE_DIRECTORY by default. \
            Durable events need it; values set from outside survive with it.
            """),
    ]

    private static let observation = [
        Setting(
            "log.level", .choice(\.logLevel, LogLevel.names), .atReload,
            "Lowest level that is logged."),
        Setting(
            "log.format", .choice(\.logFormat, LogFormat.allCases.map(\.rawValue)), .atRestart,
            """
            Log format: systemd's journal with all fields; text with the time; lines with a \
            priority prefix for systemd. auto chooses one by what standard error is connected to.
            """),
        Setting(
            "metricsSocket", .text(\.metricsSocket), .atRestart,
            "Unix socket that serves metrics in Prometheus' text format; none by default."),
        Setting(
            "metricsNodes", .number(\.metricsNodes, 0...10_000), unit: "nodes", .atReload,
            "Largest tree for which metrics list each node."),
    ]
}

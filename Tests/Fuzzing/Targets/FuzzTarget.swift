// SPDX-License-Identifier: Apache-2.0

/// A target of fuzzing: code that must accept arbitrary bytes without a trap or a violated invariant. Its
/// corpus is the folder of its name in `Tests/Fuzzing/Corpora`.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// One message, of any command and in either direction.
    case wire
    /// Messages of a daemon to a worker's session.
    case session
    /// Messages of hostile peers to a broker that also serves conforming ones.
    case broker
    case predicate
    case rules
    case json
    /// Names, paths, IDs and durations.
    case path
    /// A configuration file of the daemon.
    case configuration
    /// A policy file and a file of authorized keys.
    case policy
    /// A file of the journal and the records in it.
    case journal
    /// A daemon's handover to its successor.
    case handover
    /// A peer's bytes on a ZMTP connection, in either role.
    case zmtp
    /// The messages of hostile children to a gate, and those of a hostile gate to a child.
    case link
    /// The messages of a site's own bus and of a hostile parent's to a bridge.
    case bridge

    /// Runs the target with an input. Traps if an invariant is violated.
    package func run(_ bytes: [UInt8]) {
        switch self {
        case .wire: MessageFuzzing.run(bytes)
        case .session: SessionFuzzing.run(bytes)
        case .broker: BrokerFuzzing.run(bytes)
        case .predicate: ExpressionFuzzing.runPredicate(bytes)
        case .rules: ExpressionFuzzing.runRules(bytes)
        case .json: JSONFuzzing.run(bytes)
        case .path: NameFuzzing.run(bytes)
        case .configuration: ConfigurationFuzzing.run(bytes)
        case .policy: PolicyFuzzing.run(bytes)
        case .journal: JournalFuzzing.run(bytes)
        case .handover: HandoverFuzzing.run(bytes)
        case .zmtp: ConnectionFuzzing.run(bytes)
        case .link: LinkFuzzing.run(bytes)
        case .bridge: BridgeFuzzing.run(bytes)
        }
    }
}

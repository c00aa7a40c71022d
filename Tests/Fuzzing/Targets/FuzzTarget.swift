// SPDX-License-Identifier: Apache-2.0

/// What can be fed with any bytes, and must neither trap nor contradict itself. Each has a folder
/// of its name in `Tests/Fuzzing/Corpora`.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// One message, of any command and in either direction.
    case wire
    /// What a daemon says to a worker's session.
    case session
    /// What hostile peers say to a broker that also serves good ones.
    case broker
    case predicate
    case rules
    case json
    /// Names, paths, IDs and durations.
    case path
    /// A configuration file of the daemon.
    case configuration
    /// A file of policy, and one of authorized keys.
    case policy
    /// A file of the journal, and the records in it.
    case journal
    /// What a daemon leaves to its successor.
    case handover

    /// Traps where a promise is broken.
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
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The kinds of messages, each with the number that finds it in the journal and its entry in the
/// catalog. A number never changes and is never used again.
package enum LogKind: String, CaseIterable, Sendable {
    // The daemon's own life
    case started = "ebc7eb49dfc349e7af852c84bdb8f347"
    case stopping = "7329bc0869414a0f8abadc15b1f00b41"
    case stopped = "b5f0234c8cd84c279dce1602749121da"
    case failed = "c6eaee6ffd664df1bdc7344478cba1d2"
    case reloaded = "586fa8c606834ccb89f70242f47ad6e0"
    case restartNeeded = "a29e7886824643f4b096af91bc106117"
    case renamedSetting = "8a1f6d0be7724c5f9d3b60c14e85a2f7"
    case configurationRefused = "1621f57cb4f8400d9e8a377ffd6a8d5d"
    case leftOut = "4c4fb1ce960b4a49a788aa374002a0ea"
    case metricsFailed = "e997979b1d5c49c08f832930f2118e79"

    // Nodes
    case attached = "d749a01e69e44ed490328d495198ac4a"
    case left = "5655d9b6d11e4bb49fb196c118377f66"
    case lost = "4a6e39088da7461580b8263639e0ae26"
    case gone = "f311783dcca8459481c26c88e4715adc"
    case detached = "12089f773e134772b79c12d39de4e006"
    case moved = "d2c7c67fec9747818c66817dadcc8c63"
    case unresponsive = "5438b45eabb048fe92abf83cf2aff7d1"
    case responsive = "f60fe4c02d3145ae853908a16e17ef45"

    case quarantined = "3c6805d1ccf24ecbac44772f95d688e7"

    // Declarations and rules
    case undeclared = "9f69630b86cd4888923088964fe05fed"
    case unhandled = "08de60faed974a1ea5e5624140dcb2e9"
    case ruleCycle = "04dba33226e445989f9e5b3ba63f21a9"
    case rulesLoaded = "48a951774adb40d4b0651facc57b1ebf"
    case rulesRefused = "ade3826944fa4750b697e769de61df17"

    // Policy and keys
    case policyLoaded = "6f0d7a3c2b5e4d0c9a41c8e5b7f21d36"
    case policyRefused = "918dbfc0ef3c4e1bb870611efbe7d329"
    case policyUnusable = "b1c9e47d58f34a2e8d03a6f9c2e4751b"
    case keysRefused = "1947ae11760c475b9088748776210026"
    case keysUnusable = "2d84f1b6e93c4705b8fa17c0d5639e4a"

    // Durable state
    case journalRead = "dfaf5432151d48e0925028c42d650c2b"
    case journalFailed = "18c76ad7d7a84e81bdc4eb48ead98dc0"
    case journalMended = "aa3acb8ee6074159b753fc2128fcbb12"
    case journalTail = "37b1f4a5cbd34b1580709d965e376555"
    case journalDamaged = "3d3935491b7c44a3a63bbd3092176569"
    case tookOver = "9e7410b37111461880b2dfd70758f557"
    case stateLost = "d0bd759bb0fd47dc864021ec86d8f24d"

    // Peers that misbehave
    case violation = "1b76b7bd4181447bb7daafff8806609b"
    case refused = "4305d81d182147e7aabff664041a3274"
    case limitReached = "010cf5916e074e1985cb0cf320d0c968"
    case slow = "23a2f4b8d7e7437f8a5dcb0e1d090b80"
    case silent = "0ef0a855566f49c8af801709632d7764"
    case crowded = "3bc070eddfe645538cec41e42270c126"
    case fewDescriptors = "aba8e705a68047b98534cbefd94590ad"
    case unwatched = "35d6a44408e443728f320d1ad412e03b"
    case slowTransport = "d13e3f6d1bc14cd1a00fa1e1a8187d89"
    case unreachableSocket = "b9770905294e40f7a643e8f19d7ea5dd"

    package var messageID: String {
        rawValue
    }

    /// The largest number of messages of this kind about one user that are written in a second: fewer of
    /// those that a misbehaving peer can cause as often as it likes.
    var messagesPerSecond: Int {
        switch self {
        case .violation, .refused, .limitReached, .slow, .silent, .crowded, .unwatched,
            .fewDescriptors:
            10
        default: 100
        }
    }

    /// In a few words, for the line about messages that were left out.
    var phrase: String {
        switch self {
        case .started, .stopping, .stopped, .failed: "the daemon itself"
        case .reloaded, .restartNeeded, .renamedSetting, .configurationRefused: "configuration"
        case .leftOut: "messages left out"
        case .metricsFailed: "metrics"
        case .attached: "nodes that attached"
        case .left: "nodes that left"
        case .lost: "lost nodes"
        case .gone: "nodes that are gone"
        case .detached: "detached nodes"
        case .moved: "moved nodes"
        case .unresponsive, .responsive: "unresponsive processes"
        case .undeclared, .unhandled: "declarations"
        case .ruleCycle, .rulesLoaded, .rulesRefused: "rules"
        case .policyLoaded, .policyRefused, .policyUnusable: "policy"
        case .keysRefused, .keysUnusable: "keys"
        case .violation: "protocol violations"
        case .refused: "refusals"
        case .limitReached: "limits that were reached"
        case .slow: "peers that do not read"
        case .silent, .crowded, .fewDescriptors, .slowTransport, .unreachableSocket: "connections"
        case .unwatched: "processes that cannot be watched"
        case .quarantined: "events in quarantine"
        case .journalRead, .journalFailed, .journalMended, .journalTail, .journalDamaged:
            "durable events"
        case .tookOver, .stateLost: "the daemon's state"
        }
    }
}

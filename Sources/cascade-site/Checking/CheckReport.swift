// SPDX-License-Identifier: Apache-2.0

/// The steps from a site to the place where it stands, in order. Each needs those before it.
enum CheckStep: String, CaseIterable {
    case name
    case tcp = "TCP"
    case tls = "TLS"
    case key
    case permission
    case gate
    case bus
    case policy
    case mount

    /// What the step shows if it succeeds.
    var meaning: String {
        switch self {
        case .name: "the name of the server has an address"
        case .tcp: "the server accepts connections"
        case .tls: "the server has a certificate that this site trusts"
        case .key: "the server knows this site's key"
        case .permission: "the server permits this site's subjects"
        case .gate: "the parent's cascade-site answers"
        case .bus: "the parent's bus answers"
        case .policy: "the policy of the parent's bus lets this site in"
        case .mount: "this site can stand at its place"
        }
    }
}

/// The steps of a check that were taken, and the one that has failed.
struct CheckReport {
    /// The steps that this way to a server does not have.
    var skipped: Set<CheckStep> = []
    private var sentences: [CheckStep: String] = [:]
    /// The step that has failed, with its reason; `nil` if none has.
    private(set) var failure: (step: CheckStep, reason: String)?

    /// Adds a step that has succeeded, and with it those before it.
    mutating func passed(_ step: CheckStep, _ sentence: String? = nil) {
        passedAll(before: step)
        sentences[step] = sentence ?? step.meaning
    }

    /// Adds the step that has failed. Those before it have succeeded.
    mutating func failed(_ step: CheckStep, _ reason: String) {
        passedAll(before: step)
        failure = (step, reason)
    }

    /// Adds a step that has failed on this machine, before a server was dialled: whether those before it
    /// would succeed is unknown.
    mutating func failedBeforeDialling(_ step: CheckStep, _ reason: String) {
        skipped.formUnion(CheckStep.allCases.prefix { $0 != step })
        failed(step, reason)
    }

    private mutating func passedAll(before step: CheckStep) {
        for earlier in CheckStep.allCases.prefix(while: { $0 != step })
        where !skipped.contains(earlier) && sentences[earlier] == nil {
            sentences[earlier] = earlier.meaning
        }
    }

    /// One line for each step that was taken.
    var lines: [String] {
        var lines = CheckStep.allCases.compactMap { step in
            sentences[step].map { Self.line(step.rawValue, "ok", $0) }
        }
        if let failure {
            lines.append(Self.line(failure.step.rawValue, "failed", failure.reason))
        }
        return lines
    }

    /// The line of a step, or of what else was checked.
    static func line(_ step: String, _ result: String, _ sentence: String) -> String {
        padded(step, 12) + padded(result, 8) + sentence
    }

    private static func padded(_ text: String, _ count: Int) -> String {
        text + String(repeating: " ", count: max(1, count - text.count))
    }
}

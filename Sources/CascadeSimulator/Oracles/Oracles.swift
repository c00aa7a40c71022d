// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// All that is watched in a run. Each oracle knows one promise, and none shares code with what it
/// judges.
struct Oracles {
    var outcome = OutcomeOracle()
    var order = OrderOracle()
    var path = PathOracle()
    var credit = CreditOracle()
    var prefetch = PrefetchOracle()
    var verdict = VerdictOracle()
    var staleSession = StaleSessionOracle()
    var repetition = RepetitionOracle()
    var payload = PayloadOracle()
    var answer = AnswerOracle()
    var environment = EnvironmentOracle()
    var activation = ActivationOracle()
    let limit: LimitOracle

    init(_ limits: Limits) {
        limit = LimitOracle(limits)
    }

    /// A new daemon knows nothing of what the one before it was asked, and numbers anew.
    mutating func daemonStarted(_ rules: [NaiveRule]) {
        outcome.daemonStarted()
        path = PathOracle()
        credit = CreditOracle()
        prefetch = PrefetchOracle()
        verdict = VerdictOracle()
        repetition.daemonStarted()
        environment.daemonStarted(rules)
    }
}

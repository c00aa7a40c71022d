// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// All oracles of a run. Each checks one promise, and shares no code with the code that it checks.
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

    /// A new daemon knows no requests to its predecessor, and assigns new numbers.
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

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// All oracles of a run. Each checks one rule, and shares no code with the code that it checks.
///
/// Their functions record what happens; those that return a ``Finding`` also check it.
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

    /// Resets the state of the previous daemon. A new daemon assigns new numbers.
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

// SPDX-License-Identifier: Apache-2.0

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

    /// A new daemon knows nothing of what the one before it was asked, and numbers anew.
    mutating func daemonStarted() {
        outcome.daemonStarted()
        path = PathOracle()
        credit = CreditOracle()
        prefetch = PrefetchOracle()
        verdict = VerdictOracle()
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Synchronization

/// The responder that runs on the session's thread, for the warning about one that holds it for long.
final class ThreadUse: Sendable {
    /// The time from which on the thread counts as held, in nanoseconds. Round trips take less than a
    /// thousandth of it.
    static let longNanoseconds: UInt64 = 100_000_000
    /// The time between two warnings, in nanoseconds.
    private static let silenceNanoseconds: UInt64 = 10_000_000_000

    private struct State {
        /// The visit that began last, and whether it has been answered.
        var visit: Visit?
        var begun: UInt64 = 0
        var isAnswered = false
        var nextWarning: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Records that a responder begins on the thread.
    ///
    /// - Parameter now: `MonotonicClock` nanoseconds.
    func begin(_ visit: Visit, at now: UInt64) {
        state.withLock { state in
            state.visit = visit
            state.begun = now
            state.isAnswered = false
        }
    }

    /// Records that a responder has answered.
    func end(_ visit: Visit) {
        state.withLock { state in
            state.isAnswered = state.isAnswered || state.visit?.id == visit.id
        }
    }

    /// Returns the warning about a job that has held the thread; `nil` if no responder took part, or
    /// if there was a warning a short while ago.
    ///
    /// - Parameter now: `MonotonicClock` nanoseconds.
    func warning(afterHolding nanoseconds: UInt64, at now: UInt64) -> String? {
        state.withLock { state in
            guard now >= state.nextWarning, let visit = state.visit,
                !state.isAnswered || state.begun + nanoseconds >= now
            else {
                return nil
            }
            state.nextWarning = now + Self.silenceNanoseconds
            return """
                \(visit.node) held the session's thread for \(nanoseconds / 1_000_000) ms with \
                \(visit.name): nothing else of this worker happened meanwhile; let the node run on \
                the pool (runsOnSessionThread(false)), or await what takes long
                """
        }
    }
}

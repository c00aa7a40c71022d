// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// The processing time of each user's messages: a user whose message took long waits as long again,
/// while messages of other users are processed.
///
/// The clock cannot distinguish a long message from one during which another thread had the
/// processor. For a while after a message that seemed long, the thread's own processor time is
/// measured as well, and it alone counts. The first long message therefore has no consequence.
struct ProcessingTime {
    /// When the processing of a message began.
    struct Beginning {
        let nanoseconds: UInt64
        /// The thread's processor time; `nil` if it was not read.
        let processorNanoseconds: UInt64?
    }

    /// From how long on a message is long, in nanoseconds. Most take a few thousand.
    static let longNanoseconds: UInt64 = 250_000
    /// How long processor time is read after a message that seemed long.
    private static let watchNanoseconds: UInt64 = 1_000_000_000

    private var watchedUntil: UInt64 = 0
    private var waitingUntil: [Owner: UInt64] = [:]

    func begin() -> Beginning {
        let nanoseconds = MonotonicClock.now()
        return Beginning(
            nanoseconds: nanoseconds,
            processorNanoseconds: nanoseconds < watchedUntil ? ThreadClock.now() : nil)
    }

    /// How long the processing of a message has taken, in nanoseconds.
    func nanoseconds(since beginning: Beginning) -> UInt64 {
        MonotonicClock.now() &- beginning.nanoseconds
    }

    /// Records that a message seemed long.
    ///
    /// - Parameter owner: The user whose message it was.
    mutating func recordLong(_ beginning: Beginning, of owner: Owner?) {
        record(
            beginning.processorNanoseconds.map { ThreadClock.now() &- $0 }, of: owner,
            at: MonotonicClock.now())
    }

    /// - Parameter processorNanoseconds: The processor time of the message; `nil` if unknown.
    mutating func record(
        _ processorNanoseconds: UInt64?, of owner: Owner?, at nanoseconds: UInt64
    ) {
        watchedUntil = nanoseconds + Self.watchNanoseconds
        if let owner, let processorNanoseconds, processorNanoseconds >= Self.longNanoseconds {
            waitingUntil[owner] = nanoseconds + processorNanoseconds
        }
    }

    /// Forgets the users that have waited long enough.
    mutating func forgetPast(_ nanoseconds: UInt64) {
        if !waitingUntil.isEmpty {
            waitingUntil = waitingUntil.filter { $0.value > nanoseconds }
        }
    }

    /// Whether any user has to wait.
    var isAnyWaiting: Bool {
        !waitingUntil.isEmpty
    }

    /// Whether the user's messages have to wait.
    func isWaiting(_ owner: Owner) -> Bool {
        waitingUntil[owner] != nil
    }
}

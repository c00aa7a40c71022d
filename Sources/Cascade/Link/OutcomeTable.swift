// SPDX-License-Identifier: Apache-2.0

/// Outcomes that have come and are not yet asked for, and who asks for those that have not come.
///
/// An outcome that nobody asks for is kept until so many newer ones have come that nobody can be
/// expected to ask any more.
struct OutcomeTable {
    typealias Waiter = CheckedContinuation<SettledEvent, any Error>

    private enum State {
        case underWay
        case waited([Waiter])
        case settled(Result<SettledEvent, CascadeError>)
    }

    private var states: [UInt64: State] = [:]
    private var settledOrder: [UInt64] = []
    private var firstKept = 0

    /// Settled outcomes kept for whoever asks late.
    private static let keptMax = 4096

    mutating func begin(_ sequence: UInt64) {
        states[sequence] = .underWay
    }

    mutating func settle(_ sequence: UInt64, _ result: Result<SettledEvent, CascadeError>) {
        if case .waited(let waiters) = states[sequence] {
            states[sequence] = nil
            for waiter in waiters {
                waiter.resume(with: result)
            }
            return
        }
        states[sequence] = .settled(result)
        settledOrder.append(sequence)
        forgetOldest()
    }

    mutating func wait(for sequence: UInt64, _ waiter: Waiter) {
        switch states[sequence] {
        case .underWay:
            states[sequence] = .waited([waiter])
        case .waited(let waiters):
            states[sequence] = .waited(waiters + [waiter])
        case .settled(let result):
            waiter.resume(with: result)
        case nil:
            waiter.resume(
                throwing: CascadeError(
                    .notRunning, "the outcome of event \(sequence) is no longer known"))
        }
    }

    /// The session is over: nobody is left without an answer.
    mutating func failAll(_ error: CascadeError) {
        for case .waited(let waiters) in states.values {
            for waiter in waiters {
                waiter.resume(throwing: error)
            }
        }
        states = [:]
    }

    private mutating func forgetOldest() {
        guard settledOrder.count - firstKept > Self.keptMax else {
            return
        }
        states[settledOrder[firstKept]] = nil
        firstKept += 1
        if firstKept > Self.keptMax {
            settledOrder.removeFirst(firstKept)
            firstKept = 0
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import DequeModule

/// Outcomes that have come, and who asks for those that have not.
///
/// An outcome is kept until so many newer ones have come that nobody can be expected to ask any
/// more.
struct OutcomeTable {
    private enum State {
        case underWay([Waiter<SettledEvent>])
        case settled(Result<SettledEvent, CascadeError>)
    }

    private var states: [UInt64: State] = [:]
    /// The numbers of settled events, the oldest first.
    private var settledOrder: Deque<UInt64> = []

    /// Settled outcomes kept for whoever asks late, or again.
    private static let keptMax = 4096

    mutating func begin(_ sequence: UInt64) {
        states[sequence] = .underWay([])
    }

    mutating func settle(_ sequence: UInt64, _ result: Result<SettledEvent, CascadeError>) {
        if case .underWay(let waiters) = states[sequence] {
            for waiter in waiters {
                waiter.resume(with: result.mapError { $0 })
            }
        }
        states[sequence] = .settled(result)
        settledOrder.append(sequence)
        if settledOrder.count > Self.keptMax {
            states[settledOrder.removeFirst()] = nil
        }
    }

    /// The outcome, if it has come.
    func settled(_ sequence: UInt64) -> Result<SettledEvent, CascadeError>? {
        guard case .settled(let result) = states[sequence] else {
            return nil
        }
        return result
    }

    /// Notes who waits for an outcome that has not come.
    mutating func wait(for sequence: UInt64, _ waiter: Waiter<SettledEvent>) {
        guard case .underWay(let waiters) = states[sequence] else {
            waiter.resume(
                with: .failure(
                    CascadeError(
                        .notRunning, "the outcome of event \(sequence) is no longer known")))
            return
        }
        states[sequence] = .underWay(waiters + [waiter])
    }

    /// The session is over: nobody is left without an answer.
    mutating func failAll(_ error: CascadeError) {
        for case .underWay(let waiters) in states.values {
            for waiter in waiters {
                waiter.resume(with: .failure(error))
            }
        }
        states = states.filter { state in
            if case .settled = state.value { true } else { false }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import DequeModule

/// Outcomes that have come, and who asks for those that have not.
///
/// An outcome is kept until ``keptMax`` newer ones have arrived.
struct OutcomeTable {
    private enum State {
        case underWay([Waiter<SettledEvent>])
        case settled(Result<SettledEvent, CascadeError>)
    }

    private var states: [UInt64: State] = [:]
    /// The numbers of settled events, the oldest first.
    private var settledOrder: Deque<UInt64> = []

    /// The number of settled outcomes that are kept for late or repeated reads.
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

    /// Returns the outcome if it has arrived.
    func settled(_ sequence: UInt64) -> Result<SettledEvent, CascadeError>? {
        guard case .settled(let result) = states[sequence] else {
            return nil
        }
        return result
    }

    /// Adds a task that waits for an outcome. The wait fails if the outcome is no longer known.
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

    /// Fails all waiting tasks: the session has ended.
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

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// The replay of captured messages, in order, with their outcomes.
struct ReplayRun: Sendable {
    let bus: Bus
    let output: OutputOptions
    /// The speed relative to the capture; 0 for the maximum.
    let speed: Double

    /// Raises the messages. Returns the number of those that could not be raised.
    func raise(_ captured: [CapturedRaising]) async throws -> Int {
        guard let first = captured.first else {
            return 0
        }
        let begin = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for entry in captured {
                let microseconds = entry.when.microseconds - first.when.microseconds
                if speed > 0 {
                    let delay = Duration.microseconds(Double(microseconds) / speed)
                    try await Task.sleep(until: begin.advanced(by: delay), clock: .continuous)
                }
                let raised: RaisedEvent
                do {
                    raised = try await bus.link.raise(entry.raising, entry.options)
                } catch let error as CascadeError {
                    group.addTask { refused(entry, error) }
                    continue
                }
                group.addTask { try await showEnd(of: raised, entry) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 0 : 1) }
        }
    }

    private func showEnd(
        of raised: RaisedEvent, _ entry: CapturedRaising
    ) async throws -> Bool {
        do {
            let settled = try await bus.link.outcome(of: raised.id.sequence)
            output.show(
                OutcomeDocument(id: raised.id, name: entry.raising.name, settled: settled))
            return true
        } catch let error as CascadeError {
            return refused(entry, error)
        }
    }

    private func refused(_ entry: CapturedRaising, _ error: CascadeError) -> Bool {
        Output.diagnostic("\(entry.raising.name): \(error.message)".safeForTerminal)
        return false
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// Raises one event or publication and shows its outcome.
struct Raise: Sendable {
    let bus: BusOptions
    let output: OutputOptions
    let raising: Raising
    let options: RaiseOptions
    var doesNotWait = false

    /// Throws ``Stop`` with the outcome's exit status where that is not success.
    func run() async throws {
        if let document = try await outcome() {
            try output.conclude(document)
        }
    }

    /// Raises it and waits; `nil` where nobody waits.
    func outcome() async throws -> OutcomeDocument? {
        try await bus.withBus(limit: patience) { bus in
            let raised =
                options.isDurable
                ? try await bus.link.raiseDurable(raising, options)
                : try await bus.link.raise(raising, options)
            guard !doesNotWait else {
                if options.isDurable {
                    await bus.link.renounceOutcome(of: raised.id)
                }
                // Once a question behind it is answered, the bus has it.
                _ = try await bus.link.query(.bus)
                show(raised.id)
                return nil
            }
            return OutcomeDocument(
                id: raised.id, name: raising.name,
                settled: try await bus.link.outcome(of: raised.id.sequence))
        }
    }

    /// From when on a silent bus is not waited for: what is held has that time besides its own.
    private var patience: TimeSpan {
        let deadline = options.deadlineMilliseconds
        let time = deadline == 0 ? Bus.patience.milliseconds : deadline
        let (sum, isTooLong) = time.addingReportingOverflow(options.holdMilliseconds)
        return TimeSpan(milliseconds: isTooLong ? .max : sum)
    }

    private func show(_ id: EventID) {
        let document = JSONValue.document("raised", ["id": .text(id), "name": .text(raising.name)])
        Output.line(output.json ? document.text : id.description)
    }
}

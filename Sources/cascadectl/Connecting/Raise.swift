// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// A command that raises a message and shows its outcome.
struct Raise: Sendable {
    let bus: BusOptions
    let output: OutputOptions
    let raising: Raising
    let options: RaiseOptions
    var doesNotWait = false

    /// Raises the message. Throws ``Stop`` with the outcome's exit status unless that is success.
    func run() async throws {
        if let document = try await outcome() {
            try output.conclude(document)
        }
    }

    /// Raises the message and waits for its outcome; `nil` with `--no-wait`.
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
                // An answer to a later query shows that the bus has received the message.
                _ = try await bus.link.query(.bus)
                show(raised.id)
                return nil
            }
            return OutcomeDocument(
                id: raised.id, name: raising.name,
                settled: try await bus.link.outcome(of: raised.id.sequence))
        }
    }

    /// The time after which a silent bus ends the wait; a held message has the hold in addition.
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

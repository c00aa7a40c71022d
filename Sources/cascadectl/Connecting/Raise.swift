// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// Raises one event or publication and shows its outcome.
struct Raise: Sendable {
    let bus: BusOptions
    let output: OutputOptions
    let payload: PayloadOptions
    var doesNotWait = false

    /// Throws ``Stop`` with the outcome's exit status where that is not success.
    func run(_ options: RaiseOptions) async throws {
        let raising = try payload.raising()
        let limit = payload.deadline ?? Bus.patience
        let document: OutcomeDocument? = try await bus.withBus(limit: limit) { bus in
            let raised = try await bus.link.raise(raising, options)
            guard !doesNotWait else {
                // Once a question behind it is answered, the bus has it.
                _ = try await bus.link.query(.bus)
                show(raised.id)
                return nil
            }
            return OutcomeDocument(
                id: raised.id, name: raising.name,
                settled: try await bus.link.outcome(of: raised.id.sequence))
        }
        if let document {
            try output.conclude(document)
        }
    }

    private func show(_ id: EventID) {
        let document = JSONValue.document("raised", ["id": .text(id), "name": .text(payload.name)])
        Output.line(output.json ? document.text : id.description)
    }
}

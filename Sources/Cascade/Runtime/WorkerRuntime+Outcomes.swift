// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Outcomes of durable events that earlier sessions triggered.
extension WorkerRuntime {
    func receiveOutcomes(
        of nodes: [FlatNode], in group: inout ThrowingTaskGroup<Ending, any Error>
    ) {
        for node in nodes where !node.node.outcomeReceivers.isEmpty {
            group.addTask { await receiveOutcomes(of: node) }
        }
    }

    /// Confirms each outcome after its receivers have returned. The bus may repeat an outcome after
    /// a reconnect; repetitions are confirmed without another call.
    private func receiveOutcomes(of node: FlatNode) async -> Ending {
        var received: Set<EventID> = []
        for await settled in node.mailbox.outcomes {
            guard let outcome = DurableOutcome(settled) else {
                continue
            }
            if received.insert(outcome.id).inserted {
                let values = EnvironmentValues(surroundings: NodeSurroundings(node.mailbox, self))
                await EnvironmentValues.$current.withValue(values) {
                    for receive in node.node.outcomeReceivers {
                        await receive(outcome)
                    }
                }
            }
            await link.confirm(outcome.id)
        }
        return .finished
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The outcomes of durable events that earlier sessions had triggered.
extension WorkerRuntime {
    func receiveOutcomes(
        of nodes: [FlatNode], in group: inout ThrowingTaskGroup<Ending, any Error>
    ) {
        for node in nodes where !node.node.outcomeReceivers.isEmpty {
            group.addTask { await receiveOutcomes(of: node) }
        }
    }

    /// The bus forgets an outcome only when it has been dealt with. After a reconnect one may come
    /// twice.
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

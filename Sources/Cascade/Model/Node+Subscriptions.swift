// SPDX-License-Identifier: Apache-2.0

/// Subscriptions: what a node does with publications from above.
extension Node {
    /// Receives publications of a type, when the publisher's destination chooses this node.
    public func subscribe<E: Event>(
        to type: E.Type, _ receive: @escaping @Sendable (E) async throws -> Void
    ) -> Node {
        with {
            $0.subscriptions.append(
                SubscriptionEntry(name: E.name) { visit in
                    try await receive(PayloadCodec.decode(E.self, from: visit))
                })
        }
    }

    /// Receives publications of a name, whatever their payload.
    public func subscribe(
        toName name: String, _ receive: @escaping @Sendable (AnyEvent) async throws -> Void
    ) -> Node {
        with {
            $0.subscriptions.append(
                SubscriptionEntry(name: name) { visit in try await receive(AnyEvent(visit)) })
        }
    }
}

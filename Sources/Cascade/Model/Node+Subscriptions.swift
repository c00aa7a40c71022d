// SPDX-License-Identifier: Apache-2.0

/// Subscriptions to publications from the nodes above.
extension Node {
    /// Adds a subscription to publications of a type. The publisher's destination selects among the
    /// subscribers.
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

    /// Adds a subscription to publications of a name, with any payload.
    public func subscribe(
        toName name: String, _ receive: @escaping @Sendable (AnyEvent) async throws -> Void
    ) -> Node {
        with {
            $0.subscriptions.append(
                SubscriptionEntry(name: name) { visit in try await receive(AnyEvent(visit)) })
        }
    }
}

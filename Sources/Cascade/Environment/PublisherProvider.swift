// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Makes publishers for the running node; called like a function.
public struct PublisherProvider: Sendable {
    let link: Link?
    let node: NodePath

    /// Returns a publisher of events of a type to the subscribers at and below this node.
    public func callAsFunction<E: Event>(
        for type: E.Type, destination: PublishingDestination = .last
    ) -> EventPublisher<E> {
        EventPublisher(link: link, origin: .node(node), destination: destination)
    }
}

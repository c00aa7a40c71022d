// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// What surrounds the code of a node while it runs: the way up, the way down, and what it is
/// answering.
public struct EnvironmentValues: Sendable {
    /// Where the running code stands; `nil` outside any node.
    var node: NodePath?
    var link: Link?

    /// What the running responder or subscription is answering; `nil` in a node's task.
    public internal(set) var visit: VisitContext?

    /// Triggers events, as the node that is running.
    public var triggerEvent: TriggerEvent {
        TriggerEvent(link: link, origin: .node(node ?? .root))
    }

    /// Makes publishers for the node that is running.
    public var publisher: PublisherProvider {
        PublisherProvider(link: link, node: node ?? .root)
    }

    /// The values of the code that is running now.
    @TaskLocal public static var current = EnvironmentValues()

    public init() {}
}

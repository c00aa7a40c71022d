// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// What surrounds the code of a node while it runs: the way up, the way down, and what it is
/// answering.
public struct EnvironmentValues: Sendable {
    /// Where the running code stands; `nil` outside any node.
    var place: NodePlace?
    /// The worker whose code it is.
    var runtime: WorkerRuntime?

    /// What the running responder or subscription is answering; `nil` in a node's task.
    public internal(set) var visit: VisitContext?

    /// The path of the node that is running, now: a node can be moved. The root outside any node.
    public var path: NodePath {
        place?.path ?? .root
    }

    /// Triggers events, as the node that is running.
    public var triggerEvent: TriggerEvent {
        TriggerEvent(link: runtime?.link, origin: .node(path))
    }

    /// Reports errors, as the node that is running.
    public var reportError: ReportError {
        ReportError(link: runtime?.link, origin: .node(path))
    }

    /// Asks the nodes above, as the node that is running.
    public var request: SendRequest {
        SendRequest(link: runtime?.link, origin: .node(path))
    }

    /// Triggers cascading actions, as the node that is running.
    public var cascade: TriggerCascade {
        TriggerCascade(link: runtime?.link, origin: .node(path))
    }

    /// Makes publishers for the node that is running.
    public var publisher: PublisherProvider {
        PublisherProvider(link: runtime?.link, node: path)
    }

    /// Attaches further nodes beside the one that is running.
    public var push: PushNode {
        PushNode(runtime: runtime, place: place)
    }

    /// Attaches further nodes in front of the one that is running.
    public var present: PresentNode {
        PresentNode(runtime: runtime, place: place)
    }

    /// Takes the node that is running out of the tree.
    public var dismiss: DismissNode {
        DismissNode(runtime: runtime, place: place)
    }

    /// The bus itself: what stands in the tree, and how to change it.
    public var bus: BusControl {
        BusControl(link: runtime?.link)
    }

    /// The values of the code that is running now.
    @TaskLocal public static var current = EnvironmentValues()

    public init() {}
}

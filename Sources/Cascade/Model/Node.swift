// SPDX-License-Identifier: Apache-2.0

/// A place that a worker holds in the tree: its name, what it responds to, and the nodes inside it.
///
/// Modifiers add to a node in the order in which they are written, which is the order in which its
/// responders are asked.
///
///     Node("storefront") {
///         Cart()
///     }
///     .receive(ItemSelected.self) { event in
///         stock.has(event.item) ? .handled : .notHandled
///     }
///     .subscribe(to: PriceChanged.self) { change in show(change) }
public struct Node: Sendable {
    var name: String
    var children: [Node]
    var responders: [ResponderEntry] = []
    var subscriptions: [SubscriptionEntry] = []
    var tasks: [@Sendable () async throws -> Void] = []
    /// `nil` where nothing is declared.
    var triggeredNames: [String]?
    var reportedNames: [String]?
    var safety: SafetyLevel?
    var requiresExplicitResponders: Bool?
    var outcomeReceivers: [@Sendable (DurableOutcome) async -> Void] = []
    var isPresented = false
    var orphanPolicy = OrphanPolicy.adopt
    var isActive = true
    var takesOver = false
    var concurrency = 1
    var values = DeclaredValues()
    /// Whether it is a ``NodeConvertible``'s, which has properties of its own.
    var isConverted = false

    /// A node with the nodes inside it. `name` is one path component.
    public init(_ name: String, @NodeBuilder content: () -> [Node] = { [] }) {
        self.name = name
        children = content()
    }

    // MARK: - Attributes

    /// Lets the node work on several events at once; one unless said so. What of them runs in
    /// parallel then may end in any order.
    public func concurrency(_ count: Int) -> Node {
        precondition((1...Int(UInt16.max)).contains(count), "a node's concurrency is 1 to 65,535")
        return with { $0.concurrency = count }
    }

    /// Whether the node counts as a subscriber when it attaches.
    public func active(_ isActive: Bool) -> Node {
        with { $0.isActive = isActive }
    }

    /// Pushes out another process that holds the path.
    public func takeover(_ takesOver: Bool = true) -> Node {
        with { $0.takesOver = takesOver }
    }

    /// Stands there as a sheet does in front of a view: it reads the environment as its parent
    /// itself reads it, and is told to stop when its parent goes.
    public func presented(_ isPresented: Bool = true) -> Node {
        with { $0.isPresented = isPresented }
    }

    /// What becomes of the nodes below when this one is gone for good.
    public func orphans(_ policy: OrphanPolicy) -> Node {
        with { $0.orphanPolicy = policy }
    }

    /// Runs `work` from the moment the node stands in the tree until it leaves; then the task is
    /// cancelled. If `work` throws, the worker ends with that error.
    public func task(_ work: @escaping @Sendable () async throws -> Void) -> Node {
        with { $0.tasks.append(work) }
    }

    func with(_ change: (inout Node) -> Void) -> Node {
        var node = self
        change(&node)
        return node
    }
}

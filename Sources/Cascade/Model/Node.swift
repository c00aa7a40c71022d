// SPDX-License-Identifier: Apache-2.0

/// A node that a worker holds in the tree: its name, responders, subscriptions and tasks, and the
/// nodes inside it.
///
/// Modifiers add to a node in the order in which they are written. Responders are asked in that
/// order.
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
    /// `nil` if the node has no declaration.
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
    /// Whether the node is that of a ``NodeConvertible``, whose properties are watched separately.
    var isConverted = false

    /// Creates a node with the nodes inside it. `name` is one path component.
    public init(_ name: String, @NodeBuilder content: () -> [Node] = { [] }) {
        self.name = name
        children = content()
    }

    // MARK: - Attributes

    /// Sets the number of messages that the node processes at the same time; one by default.
    /// Messages processed in parallel may end in any order.
    ///
    /// - Precondition: 1 to 65,535.
    public func concurrency(_ count: Int) -> Node {
        precondition((1...Int(UInt16.max)).contains(count), "a node's concurrency is 1 to 65,535")
        return with { $0.concurrency = count }
    }

    /// Sets whether the node is active, and so counts as a subscriber, when it attaches.
    public func active(_ isActive: Bool) -> Node {
        with { $0.isActive = isActive }
    }

    /// Sets whether the node takes over its path if another session holds it.
    public func takeover(_ takesOver: Bool = true) -> Node {
        with { $0.takesOver = takesOver }
    }

    /// Sets whether the node is presented, as a sheet is in front of a view. A presented node reads
    /// the environment as its parent itself reads it, and is told to stop when its parent leaves.
    public func presented(_ isPresented: Bool = true) -> Node {
        with { $0.isPresented = isPresented }
    }

    /// Sets the treatment of the nodes below when this node has left and its grace time is over.
    public func orphans(_ policy: OrphanPolicy) -> Node {
        with { $0.orphanPolicy = policy }
    }

    /// Adds a task that runs while the node is in the tree, and is cancelled when the node leaves.
    /// If `work` throws, the worker ends with that error.
    public func task(_ work: @escaping @Sendable () async throws -> Void) -> Node {
        with { $0.tasks.append(work) }
    }

    func with(_ change: (inout Node) -> Void) -> Node {
        var node = self
        change(&node)
        return node
    }
}

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
    var runsOnSessionThread = false
    var values = DeclaredValues()
    /// Whether the node is that of a ``NodeConvertible``, whose properties are watched separately.
    var isConverted = false

    /// Creates a node with the nodes inside it. `name` is one path component.
    public init(_ name: String, @NodeBuilder content: () -> [Node] = { [] }) {
        self.name = name
        children = content()
    }
}

/// The treatment of the nodes below a node that has left and does not return within its grace time.
public enum OrphanPolicy: Sendable {
    /// The nodes stay; events pass through the vacant place.
    case adopt
    /// The nodes are detached, with the reason.
    case detach
}

// MARK: - Attributes

/// Attributes of a node, and its tasks.
extension NodeConvertible {
    /// Sets the number of messages that the node processes at the same time; one by default.
    /// Messages processed in parallel may end in any order.
    ///
    /// A node at its limit takes no further message. So a handler must not wait for a message that comes
    /// back to its own node: if it publishes and waits for the outcome, and the subscriber triggers an
    /// event or sends a request that this node answers and waits too, both wait until a deadline passes.
    /// Raise the limit, or let the handler not wait.
    ///
    /// - Precondition: 1 to 65,535.
    public func concurrency(_ count: Int) -> Node {
        precondition((1...Int(UInt16.max)).contains(count), "a node's concurrency is 1 to 65,535")
        return with { $0.concurrency = count }
    }

    /// Sets whether the node's responders, subscriptions and tasks run on the thread that receives
    /// the worker's messages, instead of the concurrent pool.
    ///
    /// Answers and outcomes come sooner, without a switch to another thread and back. While the code
    /// computes or blocks, nothing else of the worker happens, and the bus sees the worker as stuck.
    /// A warning is logged if a responder holds the thread for long.
    public func runsOnSessionThread(_ isOnThread: Bool = true) -> Node {
        with { $0.runsOnSessionThread = isOnThread }
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
    /// the environment as its parent itself reads it, and is detached when its parent leaves.
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
}

// MARK: - Safety

/// Declarations about a node's subtree that the bus checks.
///
///     struct Feed: NodeConvertible {
///         var node: Node {
///             Node("feed") { … }
///                 .triggers(ShowPost.self, ShowProfile.self)
///                 .reports(Unauthenticated.self)
///         }
///     }
extension NodeConvertible {
    /// Declares the events, requests and cascades that this node and its subtree trigger.
    ///
    /// Any other name is a violation, see ``safetyLevel(_:)``. So is a declared name without a
    /// responder above, see ``requireExplicitResponders(_:)``.
    public func triggers<each V: NamedValue>(_ types: repeat (each V).Type) -> Node {
        with { node in
            var names = node.triggeredNames ?? []
            for type in repeat each types {
                names.append(type.name)
            }
            node.triggeredNames = names
        }
    }

    /// Declares the errors that this node and its subtree report.
    public func reports<each E: ReportableError>(_ types: repeat (each E).Type) -> Node {
        with { node in
            var names = node.reportedNames ?? []
            for type in repeat each types {
                names.append(type.name)
            }
            node.reportedNames = names
        }
    }

    /// Sets the treatment of undeclared names from this node and its subtree. The default is the
    /// level of the parent, and at the top `SafetyLevel.relaxed`, with which the bus logs warnings.
    public func safetyLevel(_ level: SafetyLevel) -> Node {
        with { $0.safety = level }
    }

    /// Sets whether each declared name needs a responder above that names it. The bus warns if
    /// there is none.
    public func requireExplicitResponders(_ isRequired: Bool = true) -> Node {
        with { $0.requiresExplicitResponders = isRequired }
    }
}

// MARK: - Nodes inside a node

/// The builder of the nodes inside a node or of a worker.
@resultBuilder
public enum NodeBuilder {
    public static func buildExpression(_ node: Node) -> [Node] {
        [node]
    }

    public static func buildExpression(_ convertible: some NodeConvertible) -> [Node] {
        [convertible.watchingNode]
    }

    /// Adds nodes from an array.
    public static func buildExpression(_ nodes: [Node]) -> [Node] {
        nodes
    }

    public static func buildBlock(_ parts: [Node]...) -> [Node] {
        parts.flatMap { $0 }
    }

    public static func buildOptional(_ part: [Node]?) -> [Node] {
        part ?? []
    }

    public static func buildEither(first part: [Node]) -> [Node] {
        part
    }

    public static func buildEither(second part: [Node]) -> [Node] {
        part
    }

    public static func buildArray(_ parts: [[Node]]) -> [Node] {
        parts.flatMap { $0 }
    }
}

/// A type that describes a node: its state in properties, its behaviour in ``node``.
///
/// The values of its ``Environment`` properties are available before the node's first event. They
/// belong to the value, so a modifier is applied to the value itself, as in `Cart().handle(…)`;
/// `Cart().node.handle(…)` watches a key only from its first access on.
///
/// A conforming type is not isolated, also in a target with `.defaultIsolation(MainActor.self)`. A
/// method of it that uses state of the main actor is declared `@MainActor`.
public protocol NodeConvertible: SendableMetatype {
    var node: Node { get }
}

extension Node: NodeConvertible {
    public var node: Node {
        self
    }
}

extension NodeConvertible {
    /// The node, which watches the keys of the type's ``Environment`` properties.
    var watchingNode: Node {
        if let node = self as? Node {
            return node
        }
        var node = node.watching(WatchedProperties.keys(of: self))
        node.isConverted = true
        return node
    }

    /// Returns the watching node with a change. The keys of an enclosing type are added to it,
    /// because the code of a modifier may read that type's properties.
    func with(_ change: (inout Node) -> Void) -> Node {
        var node = watchingNode
        node.isConverted = false
        change(&node)
        return node
    }
}

/// The keys of the ``Environment`` properties of a user's type.
enum WatchedProperties {
    static func keys(of value: some Any) -> [ErasedKey] {
        var keys: [ErasedKey] = []
        var mirror: Mirror? = Mirror(reflecting: value)
        while let level = mirror {
            for child in level.children {
                keys += (child.value as? any EnvironmentReading)?.keys ?? []
            }
            mirror = level.superclassMirror
        }
        return keys
    }
}

/// A property that reads the environment.
protocol EnvironmentReading {
    var keys: [ErasedKey] { get }
}

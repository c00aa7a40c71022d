// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The environment of a node's running code: its actions, the visit that it answers, and the values
/// set for it.
///
/// Extend this type by a property for each ``EnvironmentKey`` of your own.
public struct EnvironmentValues: Sendable {
    // A single reference, because each access to a value copies this struct.
    private var context: EnvironmentContext?

    /// `nil` outside any node.
    var runningNode: RunningNode? {
        context?.runningNode
    }

    /// The visit or delivery that the running responder or subscription answers; `nil` in a node's
    /// task.
    public var visit: VisitContext? {
        context?.visit
    }

    /// The place of the running node; `nil` outside any node.
    var place: NodePlace? {
        runningNode?.place
    }

    /// The worker that holds the running node; `nil` outside any node.
    var runtime: WorkerRuntime? {
        runningNode?.runtime
    }

    /// The current path of the running node, which changes when the node is moved. The root outside
    /// any node.
    public var path: NodePath {
        place?.path ?? .root
    }

    // MARK: - Values

    /// The value for the running node under a key: the nearest value set above it, or by the node
    /// for itself (``EnvironmentScope/itself``); else the value of a rule; else the key's default.
    /// Code outside any node reads the default.
    ///
    /// Reading accesses memory only, and never waits for the bus. The keys of a node's
    /// ``Environment`` properties, and those passed to ``NodeConvertible/watch(_:)``, have their values before
    /// the node's first event; the next access after a change reads the new value. Any other key is
    /// watched from its first access on, and reads as its default until its value has arrived.
    ///
    /// Assigning changes this copy only. ``setEnvironment`` changes the value for other nodes.
    @inlinable public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        // Inlinable, so that the specialised copy in a program needs no type lookup at run time.
        get {
            guard let box = box(of: ObjectIdentifier(key)) else {
                return missing(key)
            }
            // Safe: the box of a key is created with the key's value type.
            return unsafeDowncast(box, to: ValueBox<K.Value>.self).value
        }
        set {
            assign(key, newValue)
        }
    }

    @usableFromInline
    func box(of id: ObjectIdentifier) -> AnyObject? {
        context?.box(of: id)
    }

    /// Returns the default of a key without a value in memory, and watches the key from now on.
    @usableFromInline
    func missing<K: EnvironmentKey>(_ key: K.Type) -> K.Value {
        if let overrides = context?.overrides, !overrides.isOpen {
            overrides.recordRead(ErasedKey(key))
        } else {
            runningNode?.watch([ErasedKey(key)])
        }
        return K.defaultValue
    }

    @usableFromInline
    mutating func assign<K: EnvironmentKey>(_ key: K.Type, _ value: K.Value) {
        let overrides = context?.overrides ?? EnvironmentOverrides()
        context = (context ?? EnvironmentContext())
            .with(overrides.assigning(AssignedValue(key, value)))
    }

    /// Returns the values that `assign` assigns to keys. It reads the values of the running node.
    static func assigned(
        _ assign: (inout EnvironmentValues) throws -> Void
    ) rethrows -> [AssignedValue] {
        var values = EnvironmentValues.current
        let before = values.context?.overrides?.assigned ?? []
        try assign(&values)
        return (values.context?.overrides?.assigned ?? []).filter { value in
            // Each assignment creates a new box, so a value that was assigned again is not left
            // out.
            !before.contains { $0.box === value.box }
        }
    }

    // MARK: - Actions

    /// Triggers events as the running node.
    public var triggerEvent: TriggerEvent {
        TriggerEvent(link: runtime?.link, origin: .node(path))
    }

    /// Reports errors as the running node.
    public var reportError: ReportError {
        ReportError(link: runtime?.link, origin: .node(path))
    }

    /// Sends requests to the nodes above, as the running node.
    public var request: SendRequest {
        SendRequest(link: runtime?.link, origin: .node(path))
    }

    /// Triggers cascading actions as the running node.
    public var cascade: TriggerCascade {
        TriggerCascade(link: runtime?.link, origin: .node(path))
    }

    /// Makes publishers for the running node.
    public var publisher: PublisherProvider {
        PublisherProvider(link: runtime?.link, node: path)
    }

    /// Attaches nodes beside the running node.
    public var push: PushNode {
        PushNode(runtime: runtime, place: place)
    }

    /// Attaches nodes in front of the running node.
    public var present: PresentNode {
        PresentNode(runtime: runtime, place: place)
    }

    /// Takes the running node out of the tree.
    public var dismiss: DismissNode {
        DismissNode(runtime: runtime, place: place)
    }

    /// Administration of the bus: inspection and changes of the whole tree.
    public var bus: BusControl {
        BusControl(link: runtime?.link)
    }

    /// Sets values for the nodes below the running node.
    public var setEnvironment: SetValues {
        SetValues(runningNode: runningNode)
    }

    /// Asks the owner of a value to change it.
    public var write: WriteValue {
        WriteValue(link: runtime?.link, origin: .node(path))
    }

    /// Follows the values that the running node reads.
    public var changes: WatchChanges {
        WatchChanges(runningNode: runningNode)
    }

    /// Offers preferences to the nodes above the running node.
    public var prefer: OfferPreference {
        OfferPreference(runningNode: runningNode)
    }

    /// The preferences of the nodes below the running node.
    public var preferences: PreferenceValues {
        PreferenceValues(runningNode: runningNode)
    }

    /// The environment of the code that is running.
    @TaskLocal public static var current = EnvironmentValues()

    // MARK: - Making

    public init() {}

    init(runningNode: RunningNode, visit: VisitContext? = nil) {
        context = EnvironmentContext(runningNode: runningNode, visit: visit)
    }

    init(overrides: EnvironmentOverrides) {
        context = EnvironmentContext(overrides: overrides)
    }

    /// Creates the environment of one moment.
    init(of snapshot: EnvironmentSnapshot) {
        self.init(overrides: EnvironmentOverrides(snapshot: snapshot))
    }
}

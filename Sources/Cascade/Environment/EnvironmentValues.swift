// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// What surrounds the code of a node while it runs: the way up, the way down, what it is answering,
/// and the values that hold for it.
///
/// Extend it by a property for each ``EnvironmentKey`` of yours.
public struct EnvironmentValues: Sendable {
    // One reference, as each read of a value copies it.
    private var context: EnvironmentContext?

    /// `nil` outside any node.
    var surroundings: NodeSurroundings? {
        context?.surroundings
    }

    /// What the running responder or subscription is answering; `nil` in a node's task.
    public var visit: VisitContext? {
        context?.visit
    }

    /// Where the running code stands; `nil` outside any node.
    var place: NodePlace? {
        surroundings?.place
    }

    /// The worker whose code it is.
    var runtime: WorkerRuntime? {
        surroundings?.runtime
    }

    /// The path of the node that is running, now: a node can be moved. The root outside any node.
    public var path: NodePath {
        place?.path ?? .root
    }

    // MARK: - Values

    /// What holds for the running node under a key: the nearest value that is set above it; else
    /// what a rule says; else the key's default, which is also what code outside any node reads.
    ///
    /// Reading looks into memory and asks nobody. What the node reads in its ``Environment``
    /// properties, and what it is told to ``Node/watch(_:)``, is there before its first event, and
    /// a change is seen by the next look. Another key is watched from the first look on; until its
    /// value has come, that is the default.
    ///
    /// Assigning changes this copy only; to change what holds for others, there is
    /// ``setEnvironment``.
    @inlinable public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        // Inlinable, so that a program's own copy knows the type and asks no runtime about it.
        get {
            guard let box = box(of: ObjectIdentifier(key)) else {
                return missing(key)
            }
            // A key's box is made by the key.
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

    /// What is read under a key that has no value at hand.
    @usableFromInline
    func missing<K: EnvironmentKey>(_ key: K.Type) -> K.Value {
        if let scratch = context?.scratch, !scratch.isOpen {
            scratch.note(ErasedKey(key))
        } else {
            surroundings?.watch([ErasedKey(key)])
        }
        return K.defaultValue
    }

    @usableFromInline
    mutating func assign<K: EnvironmentKey>(_ key: K.Type, _ value: K.Value) {
        let scratch = context?.scratch ?? EnvironmentScratch()
        context = (context ?? EnvironmentContext())
            .with(scratch.assigning(AssignedValue(key, value)))
    }

    /// What `assign` gives to keys; what it reads is what holds for the running node.
    static func assigned(
        _ assign: (inout EnvironmentValues) throws -> Void
    ) rethrows -> [AssignedValue] {
        var values = EnvironmentValues.current
        let before = values.context?.scratch?.assigned ?? []
        try assign(&values)
        return (values.context?.scratch?.assigned ?? []).filter { value in
            // A box is made by each assignment.
            !before.contains { $0.box === value.box }
        }
    }

    // MARK: - Actions

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

    /// Sets values for the nodes below the one that is running.
    public var setEnvironment: SetValues {
        SetValues(surroundings: surroundings)
    }

    /// Asks the owner of a value to change it.
    public var write: WriteValue {
        WriteValue(link: runtime?.link, origin: .node(path))
    }

    /// Follows what the running node reads.
    public var changes: WatchChanges {
        WatchChanges(surroundings: surroundings)
    }

    /// Offers values to the nodes above the one that is running.
    public var prefer: OfferPreference {
        OfferPreference(surroundings: surroundings)
    }

    /// What the nodes below the one that is running offer.
    public var preferences: PreferenceValues {
        PreferenceValues(surroundings: surroundings)
    }

    /// The values of the code that is running now.
    @TaskLocal public static var current = EnvironmentValues()

    // MARK: - Making

    public init() {}

    init(surroundings: NodeSurroundings, visit: VisitContext? = nil) {
        context = EnvironmentContext(surroundings: surroundings, visit: visit)
    }

    init(scratch: EnvironmentScratch) {
        context = EnvironmentContext(scratch: scratch)
    }

    /// What was read at one moment.
    init(of snapshot: EnvironmentSnapshot) {
        self.init(scratch: EnvironmentScratch(snapshot: snapshot))
    }
}

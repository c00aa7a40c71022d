// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Synchronization

/// A property that reads a value from the environment of the running code.
///
///     struct Cart: NodeConvertible {
///         @Environment(\.triggerEvent) var triggerEvent
///         @Environment(\.currency) var currency
///
///         var node: Node {
///             Node("cart").handle(AddToCart.self) { event in
///                 try await triggerEvent(PriceRequested(item: event.item, in: currency))
///             }
///         }
///     }
///
/// Each access reads the current value from memory.
@propertyWrapper
public struct Environment<Value>: Sendable {
    // Inlinable, so that the specialised copy in a program needs no type lookup at run time.
    @usableFromInline let read: @Sendable (EnvironmentValues) -> Value

    /// Creates a property that reads the value of a key path.
    @inlinable public init(_ keyPath: any KeyPath<EnvironmentValues, Value> & Sendable) {
        read = { $0[keyPath: keyPath] }
    }

    /// The current value at the node that runs the code; the default outside of a node.
    @inlinable public var wrappedValue: Value {
        read(EnvironmentValues.current)
    }
}

extension Environment: EnvironmentReading {
    var keys: [ErasedKey] {
        EnvironmentValues.keys(read)
    }
}

/// The immutable source of an environment's values.
final class EnvironmentContext: Sendable {
    /// `nil` outside any node.
    let runningNode: RunningNode?
    private let environment: NodeEnvironment?
    /// The visit or delivery that is answered; `nil` in a node's task.
    let visit: VisitContext?
    /// `nil` if no value differs from those that the node reads.
    let overrides: EnvironmentOverrides?

    init(
        runningNode: RunningNode? = nil, visit: VisitContext? = nil,
        overrides: EnvironmentOverrides? = nil
    ) {
        self.runningNode = runningNode
        environment = runningNode?.environment
        self.visit = visit
        self.overrides = overrides
    }

    func with(_ overrides: EnvironmentOverrides) -> EnvironmentContext {
        EnvironmentContext(runningNode: runningNode, visit: visit, overrides: overrides)
    }

    /// Returns the box of a key's value, or `nil` if the value is not in memory.
    func box(of id: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        if let overrides {
            if let box = overrides.box(of: id) {
                return box
            }
            guard overrides.isOpen else {
                return nil
            }
        }
        return environment?.box(of: id)
    }
}

/// The visit or delivery that a node's code is answering.
public struct VisitContext: Sendable {
    /// The permanent ID of the message. A redelivered message, for example after a restart of the
    /// daemon, keeps its ID and has ``isRedelivered`` set.
    public let id: EventID
    /// The name of the message.
    public let name: EventName
    /// The path of the node that raised or published the message.
    public let origin: NodePath
    /// The strings that travel beside the payload.
    public let attributes: [String: String]
    /// The number of messages in the causal chain before this one, each raised while its
    /// predecessor was answered. A message raised by the running code has one more.
    public let causeCount: Int
    /// The trace and span of the origin, if it named them. Messages raised by the running code
    /// belong to it, or to the span of this visit (package trait `Tracing`).
    public let traceParent: TraceParent?
    /// Whether the publication was retained and is older than this subscription.
    public let isRetained: Bool
    /// Whether the origin has sent the message again, because its connection broke before the
    /// outcome arrived. The message may have been here before, even in a previous process.
    ///
    /// If a responder of this process has handled the message before, its answer is repeated and
    /// the responder does not run again; this covers the last 1,024 answers. A responder that
    /// passed the message on runs again.
    public let isRedelivered: Bool

    init(_ visit: Visit) {
        id = visit.id
        name = visit.name
        origin = visit.origin
        attributes = visit.attributeTable
        causeCount = Int(visit.causes)
        traceParent = visit.traceParent
        isRetained = visit.isRetained
        isRedelivered = visit.isRedelivered
    }

    @available(*, deprecated, renamed: "causeCount")
    public var causes: Int {
        causeCount
    }

    var cause: Cause {
        Cause(id: id, depth: UInt16(clamping: causeCount), traceParent: traceParent)
    }
}

/// A reference with many readers and rare replacements. Readers take no lock and never wait, and
/// own the object that they read.
///
/// Replaced objects are retained until a replacement observes a reader count of zero; a reader
/// increments the count before it loads the reference.
final class LatestReference<Object: AnyObject & Sendable>: Sendable {
    private let current: Atomic<Unmanaged<Object>>
    private let readerCount = Atomic<Int>(0)
    private let replaced = Mutex<[Object]>([])

    init(_ object: Object) {
        current = Atomic(Unmanaged.passRetained(object))
    }

    deinit {
        current.load(ordering: .acquiring).release()
    }

    var object: Object {
        read { $0 }
    }

    /// Returns the result of `look` for the current object. The object may be released when `look`
    /// has returned.
    func read<Found>(_ look: (Object) -> Found) -> Found {
        readerCount.add(1, ordering: .sequentiallyConsistent)
        let found = owned(look)
        readerCount.subtract(1, ordering: .sequentiallyConsistent)
        return found
    }

    /// Not inlined, so that the result is retained when the function returns.
    @inline(never)
    private func owned<Found>(_ look: (Object) -> Found) -> Found {
        current.load(ordering: .sequentiallyConsistent)._withUnsafeGuaranteedRef(look)
    }

    /// Replaces the object. Calls must not overlap.
    func replace(with object: Object) {
        let old = current.exchange(
            Unmanaged.passRetained(object), ordering: .sequentiallyConsistent
        ).takeRetainedValue()
        let released = replaced.withLock { replaced in
            replaced.append(old)
            // Later readers load the new object, so a count of zero means that no reader uses the
            // old ones.
            guard readerCount.load(ordering: .sequentiallyConsistent) == 0 else {
                return [Object]()
            }
            defer { replaced = [] }
            return replaced
        }
        withExtendedLifetime(released) {}
    }
}

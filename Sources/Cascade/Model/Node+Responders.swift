// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Responders to events of a node's descendants.
///
/// Each accepts a ``Condition`` under which it is asked.
extension NodeConvertible {
    // MARK: - Typed

    /// Adds a responder whose closure decides whether it has handled the event.
    public func receive<E: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> ReceiveResult
    ) -> Node {
        adding(.receive, E.name, condition) { visit in
            try await respond(PayloadCodec.decode(E.self, from: visit)).invocationResult
        }
    }

    /// Adds a responder that handles the event, which ends here.
    public func handle<E: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> Void
    ) -> Node {
        adding(.handle, E.name, condition) { visit in
            try await respond(PayloadCodec.decode(E.self, from: visit))
            return .handled
        }
    }

    /// Adds a responder that replaces the event, for all responders that follow, by another,
    /// possibly of another type.
    public func transform<E: Event, Replacement: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> Replacement
    ) -> Node {
        adding(.transform, E.name, condition) { visit in
            let replacement = try await respond(PayloadCodec.decode(E.self, from: visit))
            return try .replaced(Raising(replacement, inPlaceOf: visit))
        }
    }

    /// Adds a responder that sees the event, request or cascade and never stops it. If the payload
    /// cannot be decoded, the worker logs a warning, once for each name and node.
    public func observe<V: NamedValue>(
        _ type: V.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (V) async -> Void
    ) -> Node {
        adding(.observe, V.name, condition) { visit in
            let value: V
            do {
                value = try PayloadCodec.decode(V.self, from: visit)
            } catch {
                throw ObservationDecodingError(cause: error)
            }
            await respond(value)
            return .passed
        }
    }

    // MARK: - Untyped

    /// Adds a responder for events of every name, whose closure decides whether it has handled the
    /// event.
    public func receive(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyEvent) async throws -> ReceiveResult
    ) -> Node {
        adding(.receive, nil, condition) { visit in
            try await respond(AnyEvent(visit)).invocationResult
        }
    }

    /// Adds a responder that handles events of every name, which end here.
    public func handle(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyEvent) async throws -> Void
    ) -> Node {
        adding(.handle, nil, condition) { visit in
            try await respond(AnyEvent(visit))
            return .handled
        }
    }

    /// Adds a responder that replaces events of every name by another for all responders that
    /// follow.
    public func transform<Replacement: Event>(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyEvent) async throws -> Replacement
    ) -> Node {
        adding(.transform, nil, condition) { visit in
            try .replaced(Raising(try await respond(AnyEvent(visit)), inPlaceOf: visit))
        }
    }

    /// Adds a responder that sees every event, request and cascade and never stops it.
    public func observe(
        when condition: Condition? = nil, _ respond: @escaping @Sendable (AnyEvent) async -> Void
    ) -> Node {
        adding(.observe, nil, condition) { visit in
            await respond(AnyEvent(visit))
            return .passed
        }
    }
}

/// The answer of a `receive` responder.
public enum ReceiveResult: Sendable {
    /// The event ends here.
    case handled
    /// The next responder is asked.
    case notHandled
}

// MARK: - Requests

/// Responders in the request lane.
extension NodeConvertible {
    /// Adds a responder that replies to a request of a descendant. A value ends the request; with
    /// `nil` the next responder is asked. An error goes to the requester.
    ///
    /// If the requester stops waiting, or the deadline of the request passes, the closure's task is
    /// cancelled. The node's place is free for other work when the closure has returned.
    public func respond<R: Request>(
        to type: R.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (R) async throws -> R.Reply?
    ) -> Node {
        adding(.respond, R.name, condition) { visit in
            let reply = try await respond(PayloadCodec.decode(R.self, from: visit))
            return try .answered(reply, to: R.name)
        }
    }

    /// Adds a responder that replies to requests of every name.
    public func respond<Reply: Encodable & Sendable>(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyEvent) async throws -> Reply?
    ) -> Node {
        adding(.respond, nil, condition) { visit in
            try .answered(try await respond(AnyEvent(visit)), to: visit.name.description)
        }
    }
}

extension InvocationResult {
    fileprivate static func answered(
        _ reply: (some Encodable)?, to name: String
    ) throws -> InvocationResult {
        guard let reply else {
            return .passed
        }
        return .answered(Reply(payload: try PayloadCodec.encode(reply, as: "reply to '\(name)'")))
    }
}

// MARK: - Cascades

/// Responders to cascades. The event responders ``NodeConvertible/observe(_:when:_:)``,
/// ``NodeConvertible/receive(_:when:_:)`` and ``NodeConvertible/handle(_:when:_:)`` also run for cascades of
/// their name.
extension NodeConvertible {
    /// Runs `perform` for each cascade of a type, and for no other message. The action cannot stop
    /// the cascade, not even by throwing.
    public func cascadingAction<E: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ perform: @escaping @Sendable (E) async throws -> Void
    ) -> Node {
        adding(.receive, E.name, condition) { visit in
            guard visit.lane == .cascade else {
                return .passed
            }
            try await perform(PayloadCodec.decode(E.self, from: visit))
            return .handled
        }
    }
}

// MARK: - Subscriptions

/// Subscriptions to publications from the nodes above.
extension NodeConvertible {
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

/// A registered subscription: its name, and its type-erased closure.
struct SubscriptionEntry: Sendable {
    let name: String
    let run: @Sendable (Visit) async throws -> Void
}

// MARK: - Entries

/// A registered responder: its declaration, and its type-erased closure.
struct ResponderEntry: Sendable {
    let kind: ResponderKind
    /// `nil` for every name.
    let name: String?
    /// `nil` for no condition.
    let condition: Condition?
    let run: @Sendable (Visit) async throws -> InvocationResult
}

extension NodeConvertible {
    func adding(
        _ kind: ResponderKind, _ name: String?, _ condition: Condition?,
        _ run: @escaping @Sendable (Visit) async throws -> InvocationResult
    ) -> Node {
        with {
            $0.responders.append(
                ResponderEntry(kind: kind, name: name, condition: condition, run: run))
        }
    }
}

extension ReceiveResult {
    var invocationResult: InvocationResult {
        switch self {
        case .handled: .handled
        case .notHandled: .passed
        }
    }
}

/// The error of an observer that cannot decode a payload. The event continues as if the observer
/// had seen it.
struct ObservationDecodingError: Error {
    let cause: any Error
}

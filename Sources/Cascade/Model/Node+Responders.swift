// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Responders to events of a node's descendants.
///
/// Each accepts a ``Condition`` under which it is asked.
extension Node {
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
                throw UnreadObservation(cause: error)
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

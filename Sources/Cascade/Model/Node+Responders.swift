// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Responders: what a node does with events of its descendants.
///
/// Each can be given a ``Condition`` under which it is asked at all.
extension Node {
    // MARK: - Typed

    /// Answers handled or not handled.
    public func receive<E: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> ReceiveResult
    ) -> Node {
        adding(.receive, E.name, condition) { visit in
            try await respond(PayloadCodec.decode(E.self, from: visit)).invocationResult
        }
    }

    /// Handles the event: it ends here.
    public func handle<E: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> Void
    ) -> Node {
        adding(.handle, E.name, condition) { visit in
            try await respond(PayloadCodec.decode(E.self, from: visit))
            return .handled
        }
    }

    /// Replaces the event, for everything above, by another, which may be of another type.
    public func transform<E: Event, Replacement: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> Replacement
    ) -> Node {
        adding(.transform, E.name, condition) { visit in
            let replacement = try await respond(PayloadCodec.decode(E.self, from: visit))
            return try .replaced(Raising(replacement, inPlaceOf: visit))
        }
    }

    /// Sees the event, request or cascade and never stops it, not even one that it cannot read: of
    /// that the worker's log has a warning, once for each name and node.
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

    /// Answers handled or not handled, for events of every name.
    public func receive(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyEvent) async throws -> ReceiveResult
    ) -> Node {
        adding(.receive, nil, condition) { visit in
            try await respond(AnyEvent(visit)).invocationResult
        }
    }

    /// Handles every event: none goes further.
    public func handle(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyEvent) async throws -> Void
    ) -> Node {
        adding(.handle, nil, condition) { visit in
            try await respond(AnyEvent(visit))
            return .handled
        }
    }

    /// Replaces every event, for everything above, by another.
    public func transform<Replacement: Event>(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyEvent) async throws -> Replacement
    ) -> Node {
        adding(.transform, nil, condition) { visit in
            try .replaced(Raising(try await respond(AnyEvent(visit)), inPlaceOf: visit))
        }
    }

    /// Sees every event, request and cascade and never stops one.
    public func observe(
        when condition: Condition? = nil, _ respond: @escaping @Sendable (AnyEvent) async -> Void
    ) -> Node {
        adding(.observe, nil, condition) { visit in
            await respond(AnyEvent(visit))
            return .passed
        }
    }
}

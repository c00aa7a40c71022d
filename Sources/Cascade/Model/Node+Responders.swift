// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Responders: what a node does with events of its descendants.
extension Node {
    // MARK: - Typed

    /// Answers handled or not handled.
    public func receive<E: Event>(
        _ type: E.Type, _ respond: @escaping @Sendable (E) async throws -> ReceiveResult
    ) -> Node {
        adding(.receive, E.name) { visit in
            switch try await respond(PayloadCodec.decode(E.self, from: visit)) {
            case .handled: .handled
            case .notHandled: .passed
            }
        }
    }

    /// Handles the event: it ends here.
    public func handle<E: Event>(
        _ type: E.Type, _ respond: @escaping @Sendable (E) async throws -> Void
    ) -> Node {
        adding(.handle, E.name) { visit in
            try await respond(PayloadCodec.decode(E.self, from: visit))
            return .handled
        }
    }

    /// Replaces the event, for everything above, by another, which may be of another type.
    public func transform<E: Event, Replacement: Event>(
        _ type: E.Type, _ respond: @escaping @Sendable (E) async throws -> Replacement
    ) -> Node {
        adding(.transform, E.name) { visit in
            let replacement = try await respond(PayloadCodec.decode(E.self, from: visit))
            return try .replaced(Raising(replacement, inPlaceOf: visit))
        }
    }

    /// Sees the event and never stops it.
    public func observe<E: Event>(
        _ type: E.Type, _ respond: @escaping @Sendable (E) async -> Void
    ) -> Node {
        adding(.observe, E.name) { visit in
            if let event = try? PayloadCodec.decode(E.self, from: visit) {
                // An observer is not to stop an event, not even one that it cannot read.
                await respond(event)
            }
            return .passed
        }
    }

    // MARK: - Untyped

    /// Answers handled or not handled, for events of every name.
    public func receive(
        _ respond: @escaping @Sendable (AnyEvent) async throws -> ReceiveResult
    ) -> Node {
        adding(.receive, nil) { visit in
            switch try await respond(AnyEvent(visit)) {
            case .handled: .handled
            case .notHandled: .passed
            }
        }
    }

    /// Handles every event: none goes further.
    public func handle(
        _ respond: @escaping @Sendable (AnyEvent) async throws -> Void
    ) -> Node {
        adding(.handle, nil) { visit in
            try await respond(AnyEvent(visit))
            return .handled
        }
    }

    /// Replaces every event, for everything above, by another.
    public func transform<Replacement: Event>(
        _ respond: @escaping @Sendable (AnyEvent) async throws -> Replacement
    ) -> Node {
        adding(.transform, nil) { visit in
            try .replaced(Raising(try await respond(AnyEvent(visit)), inPlaceOf: visit))
        }
    }

    /// Sees every event and never stops one.
    public func observe(_ respond: @escaping @Sendable (AnyEvent) async -> Void) -> Node {
        adding(.observe, nil) { visit in
            await respond(AnyEvent(visit))
            return .passed
        }
    }

    private func adding(
        _ kind: ResponderKind, _ name: String?,
        _ run: @escaping @Sendable (Visit) async throws -> InvocationResult
    ) -> Node {
        with { $0.responders.append(ResponderEntry(kind: kind, name: name, run: run)) }
    }
}

extension Raising {
    /// What an event becomes that is replaced by another; its attributes stay.
    fileprivate init<Replacement: Event>(
        _ replacement: Replacement, inPlaceOf visit: Visit
    ) throws {
        self.init(
            name: try EventName(naming: Replacement.self),
            payload: try PayloadCodec.encode(replacement), attributes: visit.attributes)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Responders in the error lane: they receive errors that descendants report, and errors thrown by
/// responders below this node or earlier at this node.
extension NodeConvertible {
    // MARK: - Typed

    /// Adds a responder whose closure decides whether it has handled the error.
    public func receiveError<E: ReportableError>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> ReceiveResult
    ) -> Node {
        adding(.receiveError, E.name, condition) { visit in
            try await respond(PayloadCodec.decode(E.self, from: visit)).invocationResult
        }
    }

    /// Adds a responder that handles the error, which ends here.
    public func handleError<E: ReportableError>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> Void
    ) -> Node {
        adding(.handleError, E.name, condition) { visit in
            try await respond(PayloadCodec.decode(E.self, from: visit))
            return .handled
        }
    }

    /// Adds a responder that replaces the error by another for all responders that follow.
    public func transformError<E: ReportableError>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> any Error
    ) -> Node {
        adding(.transformError, E.name, condition) { visit in
            let replacement = try await respond(PayloadCodec.decode(E.self, from: visit))
            return .replaced(Raising(reporting: replacement, visit.attributes))
        }
    }

    /// Adds a responder that ends the error and sends an event from this position in its place.
    ///
    ///     .catchError(Unauthenticated.self) { _ in ShowSignIn() }
    public func catchError<E: ReportableError, Replacement: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> Replacement
    ) -> Node {
        adding(.catch, E.name, condition) { visit in
            let replacement = try await respond(PayloadCodec.decode(E.self, from: visit))
            return try .replaced(Raising(replacement, inPlaceOf: visit))
        }
    }

    // MARK: - Untyped

    /// Adds a responder for errors of every name, whose closure decides whether it has handled the
    /// error.
    public func receiveError(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyError) async throws -> ReceiveResult
    ) -> Node {
        adding(.receiveError, nil, condition) { visit in
            try await respond(AnyError(visit)).invocationResult
        }
    }

    /// Adds a responder that handles errors of every name, which end here.
    public func handleError(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyError) async throws -> Void
    ) -> Node {
        adding(.handleError, nil, condition) { visit in
            try await respond(AnyError(visit))
            return .handled
        }
    }

    /// Adds a responder that replaces errors of every name by another for all responders that
    /// follow.
    public func transformError(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyError) async throws -> any Error
    ) -> Node {
        adding(.transformError, nil, condition) { visit in
            .replaced(Raising(reporting: try await respond(AnyError(visit)), visit.attributes))
        }
    }

    /// Adds a responder that ends errors of every name and sends an event from this position in
    /// their place.
    public func catchError<Replacement: Event>(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyError) async throws -> Replacement
    ) -> Node {
        adding(.catch, nil, condition) { visit in
            try .replaced(Raising(try await respond(AnyError(visit)), inPlaceOf: visit))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Responders in the lane of errors: what a node does with errors that its descendants report, or
/// that responders below it, or before it at the same node, have thrown.
extension Node {
    // MARK: - Typed

    /// Answers handled or not handled.
    public func receiveError<E: ReportableError>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> ReceiveResult
    ) -> Node {
        adding(.receiveError, E.name, condition) { visit in
            try await respond(PayloadCodec.decode(E.self, from: visit)).invocationResult
        }
    }

    /// Handles the error: it ends here.
    public func handleError<E: ReportableError>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> Void
    ) -> Node {
        adding(.handleError, E.name, condition) { visit in
            try await respond(PayloadCodec.decode(E.self, from: visit))
            return .handled
        }
    }

    /// Replaces the error, for everything above, by another.
    public func transformError<E: ReportableError>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (E) async throws -> any Error
    ) -> Node {
        adding(.transformError, E.name, condition) { visit in
            let replacement = try await respond(PayloadCodec.decode(E.self, from: visit))
            return .replaced(Raising(reporting: replacement, visit.attributes))
        }
    }

    /// Takes the error and puts an event in its place, which goes on from here.
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

    /// Answers handled or not handled, for errors of every name.
    public func receiveError(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyError) async throws -> ReceiveResult
    ) -> Node {
        adding(.receiveError, nil, condition) { visit in
            try await respond(AnyError(visit)).invocationResult
        }
    }

    /// Handles every error: none goes further.
    public func handleError(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyError) async throws -> Void
    ) -> Node {
        adding(.handleError, nil, condition) { visit in
            try await respond(AnyError(visit))
            return .handled
        }
    }

    /// Replaces every error, for everything above, by another.
    public func transformError(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyError) async throws -> any Error
    ) -> Node {
        adding(.transformError, nil, condition) { visit in
            .replaced(Raising(reporting: try await respond(AnyError(visit)), visit.attributes))
        }
    }

    /// Takes every error and puts an event in its place, which goes on from here.
    public func catchError<Replacement: Event>(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyError) async throws -> Replacement
    ) -> Node {
        adding(.catch, nil, condition) { visit in
            try .replaced(Raising(try await respond(AnyError(visit)), inPlaceOf: visit))
        }
    }
}

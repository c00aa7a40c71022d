// SPDX-License-Identifier: Apache-2.0

/// Responders and subscriptions whose closures do not use the message.
///
///     .catchError(Unauthenticated.self) { ShowSignIn() }
///
/// A payload that does not fit the type fails as it does for the closures with an argument.
extension NodeConvertible {
    // MARK: - Events

    /// Adds a responder whose closure decides whether it has handled the event.
    public func receive<E: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable () async throws -> ReceiveResult
    ) -> Node {
        receive(type, when: condition) { _ in try await respond() }
    }

    /// Adds a responder that handles the event, which ends here.
    public func handle<E: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable () async throws -> Void
    ) -> Node {
        handle(type, when: condition) { _ in try await respond() }
    }

    /// Adds a responder that replaces the event, for all responders that follow, by another,
    /// possibly of another type.
    public func transform<E: Event, Replacement: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable () async throws -> Replacement
    ) -> Node {
        transform(type, when: condition) { _ in try await respond() }
    }

    /// Adds a responder that sees the event, request or cascade and never stops it.
    public func observe<V: NamedValue>(
        _ type: V.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable () async -> Void
    ) -> Node {
        observe(type, when: condition) { _ in await respond() }
    }

    /// Runs `perform` for each cascade of a type, and for no other message. The action cannot stop
    /// the cascade, not even by throwing.
    public func cascadingAction<E: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ perform: @escaping @Sendable () async throws -> Void
    ) -> Node {
        cascadingAction(type, when: condition) { _ in try await perform() }
    }

    /// Adds a responder that replies to a request of a descendant. A value ends the request; with
    /// `nil` the next responder is asked. An error goes to the requester.
    public func respond<R: Request>(
        to type: R.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable () async throws -> R.Reply?
    ) -> Node {
        self.respond(to: type, when: condition) { _ in try await respond() }
    }

    /// Adds a subscription to publications of a type. The publisher's destination selects among the
    /// subscribers.
    public func subscribe<E: Event>(
        to type: E.Type, _ receive: @escaping @Sendable () async throws -> Void
    ) -> Node {
        subscribe(to: type) { _ in try await receive() }
    }

    // MARK: - Errors

    /// Adds a responder whose closure decides whether it has handled the error.
    public func receiveError<E: ReportableError>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable () async throws -> ReceiveResult
    ) -> Node {
        receiveError(type, when: condition) { _ in try await respond() }
    }

    /// Adds a responder that handles the error, which ends here.
    public func handleError<E: ReportableError>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable () async throws -> Void
    ) -> Node {
        handleError(type, when: condition) { _ in try await respond() }
    }

    /// Adds a responder that replaces the error by another for all responders that follow.
    public func transformError<E: ReportableError>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable () async throws -> any Error
    ) -> Node {
        transformError(type, when: condition) { _ in try await respond() }
    }

    /// Adds a responder that ends the error and sends an event from this position in its place.
    public func catchError<E: ReportableError, Replacement: Event>(
        _ type: E.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable () async throws -> Replacement
    ) -> Node {
        catchError(type, when: condition) { _ in try await respond() }
    }
}

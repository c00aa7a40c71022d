// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// A publisher of events of one type to the nodes below; called like a function.
public struct EventPublisher<E: Event>: Sendable {
    private let raiser: Raiser
    private let destination: PublishingDestination

    package init(
        link: Link?, origin: RaiseOptions.Origin, destination: PublishingDestination
    ) {
        raiser = Raiser(link: link, origin: origin)
        self.destination = destination
    }

    /// Publishes an event, and waits until each recipient's handler has ended.
    ///
    /// Throws ``CascadeError`` if the bus refuses the publication or the worker ends, and
    /// `CancellationError` if the task is cancelled.
    ///
    /// - Parameters:
    ///   - event: The event to publish.
    ///   - retained: Whether the bus retains the event for later subscribers. It replaces the event
    ///     retained before.
    ///   - deadline: The time that the recipients have; with `nil`, the bus's default.
    ///   - attributes: Strings that travel beside the payload.
    @discardableResult
    public func callAsFunction(
        _ event: E, retained: Bool = false, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> PublicationOutcome {
        let raised = try await raiser.raise(
            Raising(event, attributes),
            raiser.options(
                .down(destination), deadline: deadline, flags: retained ? .retained : []))
        return try await PublicationOutcome(raised.pending.value)
    }

    /// Publishes an event at most once, without an outcome. Returns before any delivery.
    public func emit(_ event: E) async throws {
        try await raiser.emit(
            Raising(event, [:]), raiser.options(.down(destination), flags: .unacknowledged))
    }

    /// Clears the retained event of this publisher's type. Later subscribers receive none.
    public func clear() async throws {
        let name = try EventName(naming: E.self)
        let path = raiser.origin.path
        _ = try await raiser.running().send {
            Administer(request: $0, .clearRetained(name: name, path: path))
        }
    }

    // MARK: - Subscribers

    /// Whether an event published now would reach at least one subscriber.
    public var hasSubscribers: Bool {
        get async throws {
            let answer = try await SubscribersAnswer(parsing: raiser.running().query(query))
            return !answer[destination].isEmpty
        }
    }

    /// Returns this publisher if it has subscribers, else `nil`.
    ///
    ///     try await publisher(for: Shaken.self).ifSubscribed()?(Shaken())
    public func ifSubscribed() async throws -> EventPublisher? {
        try await hasSubscribers ? self : nil
    }

    /// The subscribers that an event would reach: once now, and again after each change. The
    /// sequence does not end by itself.
    public var subscribers: SubscriberSequence {
        get async throws {
            SubscriberSequence(
                answers: try await raiser.running().watch(query), destination: destination)
        }
    }

    private var query: Query.Subject {
        get throws {
            .subscribers(name: try EventName(naming: E.self), path: raiser.origin.path)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// Publishes events of one type downward; called like a function.
public struct EventPublisher<E: Event>: Sendable {
    private let raiser: Raiser
    private let destination: PublishingDestination

    package init(
        link: Link?, origin: RaiseOptions.Origin, destination: PublishingDestination
    ) {
        raiser = Raiser(link: link, origin: origin)
        self.destination = destination
    }

    /// Publishes an event and waits until each recipient's handler has ended.
    ///
    /// - Parameters:
    ///   - event: what is published.
    ///   - retained: keep the event for subscribers that come later, in place of what was kept
    ///     before.
    ///   - deadline: how long the recipients may take; the bus's default if `nil`.
    ///   - attributes: strings that travel beside the payload.
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

    /// Publishes an event and forgets it: at most once, and nobody is told who received it.
    public func emit(_ event: E) async throws {
        try await raiser.emit(
            Raising(event, [:]), raiser.options(.down(destination), flags: .unacknowledged))
    }

    /// Forgets the event that was published last as `retained`: subscribers that come from now on
    /// get none.
    public func clear() async throws {
        let name = try EventName(naming: E.self)
        let path = raiser.origin.path
        _ = try await raiser.running().send {
            Administer(request: $0, .clearRetained(name: name, path: path))
        }
    }

    // MARK: - Subscribers

    /// Whether somebody would get an event that is published now.
    public var hasSubscribers: Bool {
        get async throws {
            let answer = try await SubscribersAnswer(parsing: raiser.running().query(query))
            return !answer[destination].isEmpty
        }
    }

    /// This publisher if somebody would get what it publishes; else `nil`.
    ///
    ///     try await publisher(for: Shaken.self).ifSubscribed()?(Shaken())
    public func ifSubscribed() async throws -> EventPublisher? {
        try await hasSubscribers ? self : nil
    }

    /// Who would get an event: now, and again whenever that changes. It never ends by itself.
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

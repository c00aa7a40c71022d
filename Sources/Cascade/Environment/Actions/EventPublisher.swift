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
    ///     retained before. The bus retains it in memory: publish it again after a restart of the
    ///     daemon.
    ///   - deadline: The time that the recipients have, their queues included; with `nil`, the bus's
    ///     default. Less than a millisecond counts as one.
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

    /// Publishes an event at most once, without an outcome. Returns before any delivery. Throws
    /// ``CascadeError`` if the event cannot be sent.
    public func emit(_ event: E) async throws {
        try await raiser.emit(
            Raising(event, [:]), raiser.options(.down(destination), flags: .unacknowledged))
    }

    /// Clears the retained event of this publisher's type. Later subscribers receive none. Throws
    /// ``CascadeError`` with the reason `noSuchEvent` if none is retained, or if the bus refuses it.
    public func clear() async throws {
        let name = try EventName(naming: E.self)
        let path = raiser.origin.path
        _ = try await raiser.running().send {
            Administer(request: $0, .clearRetained(name: name, path: path))
        }
    }

    // MARK: - Subscribers

    /// Whether an event published now would reach at least one subscriber. Throws ``CascadeError``
    /// if the bus refuses the query or the worker ends.
    public var hasSubscribers: Bool {
        get async throws {
            let answer = try await SubscribersAnswer(parsing: raiser.running().query(query))
            return !answer[destination].isEmpty
        }
    }

    /// Returns this publisher if it has subscribers, else `nil`. Throws ``CascadeError`` as
    /// ``hasSubscribers`` does.
    ///
    ///     try await publisher(for: Shaken.self).ifSubscribed()?(Shaken())
    public func ifSubscribed() async throws -> EventPublisher? {
        try await hasSubscribers ? self : nil
    }

    /// The subscribers that an event would reach: once now, and the latest state after changes. Several
    /// changes in quick succession may give one element. The sequence does not end by itself. Throws
    /// ``CascadeError`` if the worker has ended.
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

/// Makes publishers for the running node; called like a function.
public struct PublisherProvider: Sendable {
    let link: Link?
    let node: NodePath

    /// Returns a publisher of events of a type to the subscribers at and below this node.
    public func callAsFunction<E: Event>(
        for type: E.Type, destination: PublishingDestination = .last
    ) -> EventPublisher<E> {
        EventPublisher(link: link, origin: .node(node), destination: destination)
    }
}

/// The guarantee of delivery for an event.
public enum DeliveryLevel: Sendable {
    /// The event has exactly one outcome, even if other processes exit, as long as this process
    /// lives.
    case acknowledged
    /// The event is on the bus's disk before the trigger returns. The bus holds it until it is
    /// handled or its hold expires, even if this process, the daemon or the machine stops
    /// meanwhile.
    case durable
}

/// The fate of an event when a node is lost after it accepted the event.
public enum LossPolicy: Sendable {
    /// The event fails at that node, which may already have acted.
    case fail
    /// The next responder is asked.
    case pass
}

/// The subscribers that a publisher would reach: the present ones first, and the latest state after
/// changes.
///
/// Changes in quick succession are combined, so a subscriber that came and went at once may be missing.
public struct SubscriberSequence: AsyncSequence, Sendable {
    let answers: AsyncStream<[UInt8]>
    let destination: PublishingDestination

    public struct AsyncIterator: AsyncIteratorProtocol {
        var answers: AsyncStream<[UInt8]>.Iterator
        let destination: PublishingDestination
        var last: [NodePath]?

        /// Returns `nil` when the worker has ended or the task is cancelled.
        public mutating func next() async -> [NodePath]? {
            await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> [NodePath]? {
            while let message = await answers.next(isolation: actor) {
                // The bus refuses the query while the publisher's own node is not in the tree.
                let subscribers =
                    (try? SubscribersAnswer(parsing: message))?[destination] ?? []
                if subscribers != last {
                    last = subscribers
                    return subscribers
                }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(answers: answers.makeAsyncIterator(), destination: destination)
    }
}

// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// Triggers events; called like a function.
///
///     @Environment(\.triggerEvent) var triggerEvent
///     …
///     let outcome = try await triggerEvent(ItemSelected(item: 7)).outcome
public struct TriggerEvent: Sendable {
    private let raiser: Raiser

    package init(link: Link?, origin: RaiseOptions.Origin) {
        raiser = Raiser(link: link, origin: origin)
    }

    /// Triggers an event, which visits the ancestors of this node, nearest first.
    ///
    /// Returns when the event has been sent, before its outcome; waits for credit of the bus if
    /// there is none. Throws ``CascadeError`` if the event cannot be sent, if no node runs the code
    /// (``CascadeError/Code/notRunning``, for example in `Task.detached`) or, for a durable event,
    /// if the bus cannot store it.
    ///
    /// - Parameters:
    ///   - event: The event to trigger.
    ///   - includingSelf: Whether to start at this node instead of its parent.
    ///   - deadline: The time that the event has for all its responders together, their queues
    ///     included; with `nil`, the bus's default. When it passes, the event fails at the node that has
    ///     not answered, and the error goes on with a new deadline of the same length, once. Less than
    ///     a millisecond counts as one.
    ///   - hold: The time that an unhandled event waits for a later responder. With `nil`, a
    ///     durable event has the bus's default, a day, and another event is not held.
    ///   - onLoss: The fate of the event if a node is lost after it accepted the event.
    ///   - delivery: The guarantee of delivery. A ``DeliveryLevel/durable`` event is on the bus's
    ///     disk when this method returns.
    ///   - attributes: Strings that travel beside the payload.
    ///   - tracing: Whether the outcome includes the trail of visits.
    @discardableResult
    public func callAsFunction(
        _ event: some Event, includingSelf: Bool = false, deadline: Duration? = nil,
        hold: Duration? = nil, onLoss: LossPolicy = .fail, delivery: DeliveryLevel = .acknowledged,
        attributes: [String: String] = [:], tracing: Bool = false
    ) async throws -> RaisedEvent {
        let raising = try Raising(event, attributes)
        let options = raiser.options(
            .up, includingSelf: includingSelf, deadline: deadline, hold: hold, onLoss: onLoss,
            flags: tracing ? .wantsTrail : [])
        return switch delivery {
        case .acknowledged: try await raiser.raise(raising, options)
        case .durable: try await raiser.running().raiseDurable(raising, options)
        }
    }

    /// Triggers an event at most once, without an outcome. Throws ``CascadeError`` if the event
    /// cannot be sent.
    public func emit(_ event: some Event, attributes: [String: String] = [:]) async throws {
        try await raiser.emit(
            Raising(event, attributes), raiser.options(.up, flags: .unacknowledged))
    }
}

/// Triggers cascading actions; called like a function.
///
///     @Environment(\.cascade) var cascade
///     …
///     try await cascade(CheckoutCompleted())
public struct TriggerCascade: Sendable {
    private let raiser: Raiser

    package init(link: Link?, origin: RaiseOptions.Origin) {
        raiser = Raiser(link: link, origin: origin)
    }

    /// Runs the action of the event's name at every ancestor of this node, nearest first. No node
    /// can stop it, and a failure at one node does not affect the others.
    ///
    /// Returns when the cascade has been sent, before its outcome. Throws ``CascadeError`` if it
    /// cannot be sent.
    ///
    /// - Parameters:
    ///   - event: The event that the actions receive.
    ///   - includingSelf: Whether to start at this node instead of its parent.
    ///   - deadline: The time that the cascade has for all its responders together, as for
    ///     ``TriggerEvent``; with `nil`, the bus's default.
    ///   - attributes: Strings that travel beside the payload.
    @discardableResult
    public func callAsFunction(
        _ event: some Event, includingSelf: Bool = false, deadline: Duration? = nil,
        attributes: [String: String] = [:]
    ) async throws -> RaisedCascade {
        // Only the trail names the visits that failed.
        let options = raiser.options(
            .upward(.cascade), includingSelf: includingSelf, deadline: deadline,
            flags: .wantsTrail)
        return RaisedCascade(
            event: try await raiser.raise(Raising(event, attributes), options))
    }
}

/// Reports errors; called like a function.
///
///     @Environment(\.reportError) var reportError
///     …
///     do {
///         try refill()
///     } catch {
///         try await reportError(error)
///     }
public struct ReportError: Sendable {
    private let raiser: Raiser

    package init(link: Link?, origin: RaiseOptions.Origin) {
        raiser = Raiser(link: link, origin: origin)
    }

    /// Reports an error of any type. The error visits the ancestors of this node, nearest first,
    /// which may receive, handle, transform or catch it.
    ///
    /// The name of the error is that of its type, and its message is its description. A
    /// ``ReportableError`` also carries its payload, and an ``AlertableError`` its title and
    /// message. Returns when the error has been sent, before its outcome; an error without a
    /// handler ends as ``Outcome/failed(_:)``.
    ///
    /// Throws ``CascadeError`` if the error cannot be sent.
    ///
    /// - Parameters:
    ///   - error: The error to report.
    ///   - includingSelf: Whether to start at this node instead of its parent.
    ///   - deadline: The time that the error has for all its responders together, as for
    ///     ``TriggerEvent``; with `nil`, the bus's default.
    ///   - hold: The time that an unhandled error waits for a later responder.
    ///   - attributes: Strings that travel beside the payload.
    ///   - tracing: Whether the outcome includes the trail of visits.
    @discardableResult
    public func callAsFunction(
        _ error: any Error, includingSelf: Bool = false, deadline: Duration? = nil,
        hold: Duration? = nil, attributes: [String: String] = [:], tracing: Bool = false
    ) async throws -> RaisedEvent {
        try await raiser.raise(
            Raising(reporting: error, [Attribute](attributes)),
            raiser.options(
                .upward(.error), includingSelf: includingSelf, deadline: deadline, hold: hold,
                flags: tracing ? .wantsTrail : []))
    }
}

/// Sends requests to the nodes above; called like a function.
///
///     @Environment(\.request) var request
///     …
///     let price = try await request(PriceOf(item: 7))
public struct SendRequest: Sendable {
    private let raiser: Raiser

    package init(link: Link?, origin: RaiseOptions.Origin) {
        raiser = Raiser(link: link, origin: origin)
    }

    /// Sends a request to the ancestors of this node, nearest first, and returns the first reply.
    ///
    /// Throws ``RequestError`` if no node replies; ``AnyError`` if a responder throws;
    /// ``CascadeError`` if the request cannot be sent or the reply cannot be read; and
    /// `CancellationError` if the task is cancelled, which also cancels the responder's task.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - includingSelf: Whether to start at this node instead of its parent.
    ///   - deadline: The time that the request has for all its responders together, their queues
    ///     included; with `nil`, the bus's default. Less than a millisecond counts as one.
    ///   - hold: The time that an unanswered request waits for a later responder.
    ///   - onLoss: Whether the next responder is asked if a node is lost after it accepted the
    ///     request.
    ///   - attributes: Strings that travel beside the payload.
    public func callAsFunction<R: Request>(
        _ request: R, includingSelf: Bool = false, deadline: Duration? = nil,
        hold: Duration? = nil, onLoss: LossPolicy = .fail, attributes: [String: String] = [:]
    ) async throws -> R.Reply {
        let options = raiser.options(
            .upward(.request), includingSelf: includingSelf, deadline: deadline, hold: hold,
            onLoss: onLoss)
        return try await outcome(of: request, attributes, options).reply
    }

    /// Sends a request as ``callAsFunction(_:includingSelf:deadline:hold:onLoss:attributes:)``
    /// does, and returns its outcome, which includes the node that replied.
    ///
    /// Throws ``CascadeError`` if the request cannot be sent or the reply cannot be read, and
    /// `CancellationError` if the task is cancelled.
    public func outcome<R: Request>(
        of request: R, includingSelf: Bool = false, deadline: Duration? = nil,
        hold: Duration? = nil, onLoss: LossPolicy = .fail, attributes: [String: String] = [:]
    ) async throws -> RequestOutcome<R.Reply> {
        let options = raiser.options(
            .upward(.request), includingSelf: includingSelf, deadline: deadline, hold: hold,
            onLoss: onLoss)
        return try await outcome(of: request, attributes, options)
    }

    private func outcome<R: Request>(
        of request: R, _ attributes: [String: String], _ options: RaiseOptions
    ) async throws -> RequestOutcome<R.Reply> {
        let raised = try await raiser.raise(Raising(request, attributes), options)
        do {
            return try await RequestOutcome(
                raised.pending.value, toRequest: R.name, attributes)
        } catch let error as CancellationError {
            await raised.pending.cancel()
            throw error
        }
    }
}

/// The common base of the environment's actions: raises values as a node, or from outside the tree.
package struct Raiser: Sendable {
    private let link: Link?
    package let origin: RaiseOptions.Origin

    package init(link: Link?, origin: RaiseOptions.Origin) {
        self.link = link
        self.origin = origin
    }

    /// Returns the link to the bus. Throws ``CascadeError`` outside the code of a node.
    func running() throws -> Link {
        guard let link else {
            throw CascadeError.outsideNode
        }
        return link
    }

    func raise(_ raising: Raising, _ options: RaiseOptions) async throws -> RaisedEvent {
        try await running().raise(raising, options)
    }

    func emit(_ raising: Raising, _ options: RaiseOptions) async throws {
        try await running().emit(raising, options)
    }

    func options(
        _ direction: RaiseOptions.Direction, includingSelf: Bool = false,
        deadline: Duration? = nil, hold: Duration? = nil, onLoss: LossPolicy = .fail,
        flags: HeaderFlags = []
    ) -> RaiseOptions {
        var flags = flags
        if includingSelf {
            flags.insert(.includingSelf)
        }
        if onLoss == .pass {
            flags.insert(.passOnLoss)
        }
        var options = RaiseOptions(
            direction, from: origin, deadlineMilliseconds: deadline?.wireMilliseconds ?? 0,
            flags: flags)
        options.holdMilliseconds = hold?.wireMilliseconds ?? 0
        // A value raised during a visit or delivery has that visit or delivery as its cause.
        options.cause = EnvironmentValues.current.visit?.cause
        options.traceParent = VisitSpan.current
        return options
    }
}

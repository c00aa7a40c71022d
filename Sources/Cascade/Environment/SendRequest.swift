// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

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
    ///   - deadline: The time that each responder has; with `nil`, the bus's default.
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
            return try await RequestOutcome(raised.pending.value, of: R.self)
        } catch let error as CancellationError {
            await raised.pending.cancel()
            throw error
        }
    }
}

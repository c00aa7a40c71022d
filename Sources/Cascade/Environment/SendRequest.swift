// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// Asks the nodes above; called like a function.
///
///     @Environment(\.request) var request
///     …
///     let price = try await request(PriceOf(item: 7))
public struct SendRequest: Sendable {
    private let raiser: Raiser

    package init(link: Link?, origin: RaiseOptions.Origin) {
        raiser = Raiser(link: link, origin: origin)
    }

    /// Asks the ancestors of this node, nearest first, and returns what the first one answers who
    /// knows.
    ///
    /// Throws ``RequestError``; what a responder has thrown, as ``AnyError``; and
    /// `CancellationError` if the task is cancelled meanwhile: then whoever works on the request is
    /// told to stop.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - includingSelf: start at this node instead of its parent.
    ///   - deadline: how long each responder may take; the bus's default if `nil`.
    ///   - hold: how long the request waits, if nobody answers, for somebody who comes later.
    ///   - onLoss: whether the next one is asked if a node is lost after it accepted the request.
    ///   - attributes: strings that travel beside the payload.
    public func callAsFunction<R: Request>(
        _ request: R, includingSelf: Bool = false, deadline: Duration? = nil,
        hold: Duration? = nil, onLoss: LossPolicy = .fail, attributes: [String: String] = [:]
    ) async throws -> R.Reply {
        let options = raiser.options(
            .upward(.request), includingSelf: includingSelf, deadline: deadline, hold: hold,
            onLoss: onLoss)
        return try await outcome(of: request, attributes, options).reply
    }

    /// Asks as ``callAsFunction(_:includingSelf:deadline:hold:onLoss:attributes:)`` does, and tells
    /// in which way it ended, also who answered.
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

// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// Publishes events of one type downward; called like a function.
public struct EventPublisher<E: Event>: Sendable {
    private let link: Link?
    private let origin: RaiseOptions.Origin
    private let destination: PublishingDestination

    package init(
        link: Link?, origin: RaiseOptions.Origin, destination: PublishingDestination
    ) {
        self.link = link
        self.origin = origin
        self.destination = destination
    }

    /// Publishes an event and waits until each recipient's handler has ended.
    ///
    /// - Parameter deadline: how long the recipients may take; the bus's default if `nil`.
    @discardableResult
    public func callAsFunction(
        _ event: E, deadline: Duration? = nil
    ) async throws -> PublicationOutcome {
        let raised = try await running().raise(
            Raising(event, [:]),
            RaiseOptions(
                .down(destination), from: origin,
                deadlineMilliseconds: deadline?.wholeMilliseconds ?? 0))
        return try await PublicationOutcome(raised.pending.value)
    }

    /// Publishes an event and forgets it: at most once, and nobody is told who received it.
    public func emit(_ event: E) async throws {
        try await running().emit(
            Raising(event, [:]),
            RaiseOptions(.down(destination), from: origin, flags: .unacknowledged))
    }

    private func running() throws -> Link {
        guard let link else {
            throw CascadeError(
                .notRunning, "an event was published outside the code of a node that is attached")
        }
        return link
    }
}

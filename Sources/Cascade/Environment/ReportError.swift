// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

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
    ///   - deadline: The time that each responder has; with `nil`, the bus's default.
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

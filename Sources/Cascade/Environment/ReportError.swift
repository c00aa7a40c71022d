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

    /// Reports an error, of any type. It visits the ancestors of this node, nearest first: those
    /// that receive, handle, transform or catch errors.
    ///
    /// It goes by the name of its type, and says what the error's description says; a
    /// ``ReportableError`` carries itself as well, and an ``AlertableError`` its words for people.
    /// Returns as soon as it is on its way. An error that nobody handles ends as
    /// ``Outcome/failed(_:)``.
    ///
    /// - Parameters:
    ///   - includingSelf: start at this node instead of its parent.
    ///   - deadline: how long each responder may take; the bus's default if `nil`.
    ///   - hold: how long the error waits, if nobody handles it, for somebody who comes later.
    ///   - attributes: strings that travel beside the payload.
    ///   - tracing: whether the outcome is to tell which responders were asked.
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

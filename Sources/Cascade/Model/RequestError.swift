// SPDX-License-Identifier: Apache-2.0

/// The reason why a request has no reply, other than an error thrown by a responder.
public enum RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No responder above replied to the request.
    case unhandled
    /// The node did not answer before the deadline.
    case timedOut(at: NodePath)
    /// The request was not declared, and strict safety requires a declaration.
    case rejected(Failure)
    /// The causal chain was longer than the bus allows.
    case looped(Failure)

    public var description: String {
        switch self {
        case .unhandled: "no responder above replied"
        case .timedOut(let node): "\(node) did not answer in time"
        case .rejected(let failure), .looped(let failure): failure.description
        }
    }
}

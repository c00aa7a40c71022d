// SPDX-License-Identifier: Apache-2.0

/// Why a request has no reply, where no responder has thrown.
public enum RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nobody above answers requests of this name.
    case unhandled
    /// The node did not answer before the deadline.
    case timedOut(at: NodePath)
    /// The request was not declared where strict safety asks for it.
    case rejected(Failure)
    /// It had more causes than the bus allows.
    case looped(Failure)

    public var description: String {
        switch self {
        case .unhandled: "nobody answered"
        case .timedOut(let node): "\(node) did not answer in time"
        case .rejected(let failure), .looped(let failure): failure.description
        }
    }
}

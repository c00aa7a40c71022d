// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The outcome of a request.
public enum RequestOutcome<Reply: Sendable>: Sendable {
    case answered(Reply, by: NodePath)
    /// No responder above replied to the request.
    case unhandled
    /// A responder threw, or its node was lost.
    case failed(AnyError)
    /// The node did not answer before the deadline.
    case timedOut(at: NodePath)
    /// The request was not declared, and strict safety requires a declaration.
    case rejected(Failure)
    /// The causal chain was longer than the bus allows.
    case looped(Failure)

    /// The reply. Throws ``RequestError`` or ``AnyError`` if there is none.
    public var reply: Reply {
        get throws {
            switch self {
            case .answered(let reply, _): return reply
            case .unhandled: throw RequestError.unhandled
            case .failed(let error): throw error
            case .timedOut(let node): throw RequestError.timedOut(at: node)
            case .rejected(let failure): throw RequestError.rejected(failure)
            case .looped(let failure): throw RequestError.looped(failure)
            }
        }
    }
}

extension RequestOutcome where Reply: Decodable {
    /// Throws ``CascadeError`` if the reply does not fit the request's reply type.
    init<R: Request>(_ settled: SettledEvent, of type: R.Type) throws where R.Reply == Reply {
        try self.init(settled, toRequest: R.name)
    }

    /// - Parameter name: The name of the request.
    init(_ settled: SettledEvent, toRequest name: String) throws {
        let failure = settled.ended.failure ?? Failure(.responderFailed)
        switch settled.ended.code {
        case .handled:
            let reply = try PayloadCodec.decode(
                Reply.self, as: "reply to '\(name)'", from: settled.reply?.payload ?? [],
                contentType: settled.reply?.contentType)
            self = .answered(reply, by: settled.by ?? .root)
        case .unhandled, .noSubscriber, .delivered, .cascaded: self = .unhandled
        case .failed, .caught: self = .failed(AnyError(failure, settled.reply))
        case .timedOut: self = .timedOut(at: failure.node ?? .root)
        case .rejected: self = .rejected(failure)
        case .looped: self = .looped(failure)
        }
    }
}

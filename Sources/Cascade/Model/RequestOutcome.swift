// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// How a request ended.
public enum RequestOutcome<Reply: Sendable>: Sendable {
    case answered(Reply, by: NodePath)
    /// Nobody above answered.
    case unhandled
    /// A responder threw, or its node was lost.
    case failed(AnyError)
    /// The node did not answer before the deadline.
    case timedOut(at: NodePath)
    /// It was not declared where strict safety asks for it.
    case rejected(Failure)
    /// It had more causes than the bus allows.
    case looped(Failure)

    /// The answer. Throws ``RequestError`` or ``AnyError`` where there is none.
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
    /// Throws ``CascadeError`` if the reply is not what the request asks for.
    init<R: Request>(_ settled: SettledEvent, of type: R.Type) throws where R.Reply == Reply {
        try self.init(settled, toRequest: R.name)
    }

    /// - Parameter name: what the request is called.
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

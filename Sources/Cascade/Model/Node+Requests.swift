// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Responders in the request lane.
extension Node {
    /// Adds a responder that replies to a request of a descendant. A value ends the request; with
    /// `nil` the next responder is asked. An error goes to the requester.
    ///
    /// If the requester stops waiting, the closure's task is cancelled.
    public func respond<R: Request>(
        to type: R.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (R) async throws -> R.Reply?
    ) -> Node {
        adding(.respond, R.name, condition) { visit in
            let reply = try await respond(PayloadCodec.decode(R.self, from: visit))
            return try .answered(reply, to: R.name)
        }
    }

    /// Adds a responder that replies to requests of every name.
    public func respond<Reply: Encodable & Sendable>(
        when condition: Condition? = nil,
        _ respond: @escaping @Sendable (AnyEvent) async throws -> Reply?
    ) -> Node {
        adding(.respond, nil, condition) { visit in
            try .answered(try await respond(AnyEvent(visit)), to: visit.name.description)
        }
    }
}

extension InvocationResult {
    fileprivate static func answered(
        _ reply: (some Encodable)?, to name: String
    ) throws -> InvocationResult {
        guard let reply else {
            return .passed
        }
        return .answered(Reply(payload: try PayloadCodec.encode(reply, as: "reply to '\(name)'")))
    }
}

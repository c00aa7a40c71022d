// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Responders in the lane of requests.
extension Node {
    /// Answers a request of a descendant: with a value, which ends it, or with `nil`, and the next
    /// responder is asked. What it throws, the requester gets.
    ///
    /// If the requester no longer waits, the closure's task is cancelled.
    public func respond<R: Request>(
        to type: R.Type, when condition: Condition? = nil,
        _ respond: @escaping @Sendable (R) async throws -> R.Reply?
    ) -> Node {
        adding(.respond, R.name, condition) { visit in
            let reply = try await respond(PayloadCodec.decode(R.self, from: visit))
            return try .answered(reply, to: R.name)
        }
    }

    /// Answers requests of every name.
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

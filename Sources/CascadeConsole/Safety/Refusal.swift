// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// An answer to a request that the console does not carry out.
struct Refusal: Error, Hashable, Sendable {
    /// The status of the response, such as 403.
    let status: Int
    /// The name of the error for programs: `badHost`.
    let name: String
    /// A sentence for people: what happened, and what to do.
    let message: String
    /// Further members of the error, such as the rule that denies.
    let details: [JSONValue.Member]
    /// Whether the refusal is in the log.
    var isLogged = false

    init(_ status: Int, _ name: String, _ message: String, details: [JSONValue.Member] = []) {
        self.status = status
        self.name = name
        self.message = message
        self.details = details
    }

    /// The document of the refusal.
    var json: JSONValue {
        let members = JSONValue.memberList(["name": .string(name), "message": .string(message)])
        return .members(["error": .object(members + details)])
    }
}

extension Refusal {
    static let needsToken = Refusal(
        401, "unauthorized",
        "This page has no valid token: open the link that 'cascade-console' printed, or get another by 'cascade-console link'."
    )
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// A responder or subscription of `attach`, with its modifiers from the command line.
struct ResponderOption: Sendable {
    enum Role: Sendable {
        case responder(ResponderDeclaration)
        /// A transform or catch, which replaces a message by one with another name.
        case replacement(ResponderDeclaration, by: EventName)
        case subscription(EventName)
    }

    var role: Role
    /// The error with which it answers its visits.
    var error: EventName?
    /// The delay before its verdict.
    var delay: TimeSpan?
    /// The reply to requests; by default, the request's payload.
    var reply: JSONValue?

    var declaration: ResponderDeclaration? {
        switch role {
        case .responder(let declaration), .replacement(let declaration, _): declaration
        case .subscription: nil
        }
    }

    var subscription: EventName? {
        if case .subscription(let name) = role { name } else { nil }
    }

    /// The kind as in the printed lines.
    var kind: String {
        declaration?.kind.name ?? "subscribe"
    }
}

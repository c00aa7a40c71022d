// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// One responder or subscription of `attach`, with what stands behind it on the command line.
struct ResponderOption: Sendable {
    enum Role: Sendable {
        case responder(ResponderDeclaration)
        /// Puts something of another name in the place of what it is asked about: a transform, or a
        /// catch.
        case replacement(ResponderDeclaration, by: EventName)
        case subscription(EventName)
    }

    var role: Role
    /// The error that it answers its visits with.
    var error: EventName?
    /// How long it waits before its verdict.
    var delay: TimeSpan?
    /// What it answers requests with; otherwise their own payload.
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

    /// The kind as it is written in the lines that are printed.
    var kind: String {
        declaration?.kind.name ?? "subscribe"
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// What happens to a node of the shell, whatever side it comes from.
enum ConversationInput: Sendable {
    // From the bus.
    case link(LinkEvent)
    case attached
    /// The bus has taken the node out of the tree as it was asked to.
    case left
    case failed(any Error)

    // From the program behind the node.
    case line(String)
    /// No line comes any more; whether that is because the program is gone.
    case endOfInput(isGone: Bool)

    // From the system.
    case signalled
    /// Leaving takes too long.
    case lostPatience

    // From what was begun.
    /// The work on a visit has ended; the bus is told next.
    case answered(InvocationToken)
    /// How something raised or set ended; the line to print, if there is one.
    case raisedEnded(JSONValue?)
}

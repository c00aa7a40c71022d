// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// An input of a conversation, from the bus, the program, the system or an earlier step.
enum ConversationInput: Sendable {
    // From the bus.
    case link(LinkEvent)
    case attached
    /// The bus has taken the node out of the tree as requested.
    case left
    case failed(any Error)

    // From the program behind the node.
    case line(String)
    /// The end of the input; `isGone` if the program has exited.
    case endOfInput(isGone: Bool)

    // From the system.
    case signalled
    /// The time limit for leaving has passed.
    case lostPatience

    // From earlier steps.
    /// The work on a visit has ended, and its result is to be sent.
    case answered(InvocationToken)
    /// A message or assignment has ended; the line to print, if there is one.
    case raisedEnded(JSONValue?)
}

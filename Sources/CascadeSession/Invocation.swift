// SPDX-License-Identifier: Apache-2.0

/// One responder or subscription to run, now. What it is to run with, `Session.visit(_:)` says.
package struct Invocation: Sendable {
    package enum Target: Sendable, Equatable {
        /// The responder at this place in the node's list.
        case responder(Int)
        /// The node's subscription to the name.
        case subscription
    }

    /// Comes back with the result.
    package var token: InvocationToken
    /// The node's number.
    package var node: UInt32
    package var target: Target
}

/// Says which invocation has ended.
package struct InvocationToken: Hashable, Sendable {
    let index: UInt32
}

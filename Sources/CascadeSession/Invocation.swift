// SPDX-License-Identifier: Apache-2.0

/// A responder or subscription to run now. `Session.visit(_:)` returns its visit.
package struct Invocation: Sendable {
    package enum Target: Sendable, Equatable {
        /// The responder at this index in the node's list.
        case responder(Int)
        /// The node's subscription to the name.
        case subscription
    }

    /// The token that the result refers to.
    package var token: InvocationToken
    /// The node's number.
    package var node: UInt32
    package var target: Target
}

/// The identity of an invocation, for its result.
package struct InvocationToken: Hashable, Sendable {
    let index: UInt32
}

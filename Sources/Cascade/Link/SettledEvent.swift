// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// The outcome of a message, with paths in place of node numbers.
package struct SettledEvent: Sendable {
    package var ended: Ended
    /// The node that handled the message.
    package var by: NodePath?
    /// The reply to a request.
    package var reply: Reply?
}

extension SettledEvent {
    package init(_ settled: Settled) {
        self.init(ended: settled.ended, by: settled.handler)
    }
}

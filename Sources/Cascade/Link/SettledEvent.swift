// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// The outcome of something raised, with the numbers in it made into paths.
package struct SettledEvent: Sendable {
    package var ended: Ended
    /// The node that handled it.
    package var by: NodePath?
    /// What a request was answered with.
    package var reply: Reply?
}

extension SettledEvent {
    package init(_ settled: Settled) {
        self.init(ended: settled.ended, by: settled.handler)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The outcome of something raised, with the numbers in it made into paths.
package struct SettledEvent: Sendable {
    package var ended: Ended
    /// The node that handled it.
    package var by: NodePath?
}

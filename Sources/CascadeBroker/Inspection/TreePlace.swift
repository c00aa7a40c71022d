// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// A place in the tree, for code outside the broker that analyses the tree.
package struct TreePlace: Sendable {
    package var path: NodePath
    /// `nil` for the root.
    package var parent: UInt32?
    /// In the order in which they came there.
    package var children: [UInt32]
    package var isPresented: Bool
}

// SPDX-License-Identifier: Apache-2.0

/// A message that the shell keeps for the broker until the broker releases it, exactly once.
package struct PayloadID: Hashable, Sendable {
    package var rawValue: UInt32

    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

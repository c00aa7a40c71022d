// SPDX-License-Identifier: Apache-2.0

/// How much is in a table that has a limit.
package struct TableSize: Sendable {
    /// As the limit is called.
    package var name: String
    package var count: Int
    package var limit: UInt32
}

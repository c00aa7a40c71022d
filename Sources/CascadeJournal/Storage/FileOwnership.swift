// SPDX-License-Identifier: Apache-2.0

/// Whose a file or folder is, and who may do what with it.
package struct FileOwnership: Sendable {
    package var userID: UInt32
    package var groupID: UInt32
    /// The permissions, as stat(2) has them.
    package var mode: UInt32

    package init(userID: UInt32, groupID: UInt32, mode: UInt32) {
        self.userID = userID
        self.groupID = groupID
        self.mode = mode
    }
}

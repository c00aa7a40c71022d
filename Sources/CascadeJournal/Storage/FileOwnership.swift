// SPDX-License-Identifier: Apache-2.0

/// The owner and the permissions of a file or folder.
package struct FileOwnership: Sendable {
    package var userID: UInt32
    package var groupID: UInt32
    /// The permissions, as in stat(2).
    package var mode: UInt32

    package init(userID: UInt32, groupID: UInt32, mode: UInt32) {
        self.userID = userID
        self.groupID = groupID
        self.mode = mode
    }
}

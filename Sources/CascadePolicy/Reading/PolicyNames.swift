// SPDX-License-Identifier: Apache-2.0

/// The lookup of user and group IDs by name.
package struct PolicyNames {
    /// Returns the ID of a user; `nil` if the machine has no such user.
    package var userID: (String) -> UInt32?
    /// Returns the ID of a group; `nil` if the machine has no such group.
    package var groupID: (String) -> UInt32?

    package init(
        userID: @escaping (String) -> UInt32?, groupID: @escaping (String) -> UInt32?
    ) {
        self.userID = userID
        self.groupID = groupID
    }
}

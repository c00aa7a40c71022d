// SPDX-License-Identifier: Apache-2.0

/// The lookup of user and group IDs by name.
package struct PolicyNames {
    package var userID: (String) -> UInt32?
    package var groupID: (String) -> UInt32?

    package init(
        userID: @escaping (String) -> UInt32?, groupID: @escaping (String) -> UInt32?
    ) {
        self.userID = userID
        self.groupID = groupID
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Who knows the numbers of users and groups by their names.
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

// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The process at the other end of a connection, as the kernel recorded it at connect(2).
package struct PeerCredentials: Hashable, Sendable {
    package let userID: UInt32
    package let groupID: UInt32

    /// 0 if the process is in a namespace that cannot be seen from here.
    package let processID: UInt32

    package init(userID: UInt32, groupID: UInt32, processID: UInt32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }

    /// The credentials of a connected unix socket; `nil` for another descriptor.
    init?(of descriptor: Int32) {
        var userID: UInt32 = 0
        var groupID: UInt32 = 0
        var processID: Int32 = 0
        guard cascade_peer_credentials(descriptor, &userID, &groupID, &processID) == 0 else {
            return nil
        }
        self.init(userID: userID, groupID: groupID, processID: UInt32(clamping: processID))
    }
}

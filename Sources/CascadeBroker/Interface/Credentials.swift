// SPDX-License-Identifier: Apache-2.0

/// Who is at the other end of a connection, as the kernel says.
package struct Credentials: Equatable, Sendable {
    package var processID: UInt32
    package var userID: UInt32
    package var groupID: UInt32
    /// The systemd unit that the process belongs to; empty if there is none.
    package var unit: String

    package init(processID: UInt32, userID: UInt32, groupID: UInt32, unit: String = "") {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
        self.unit = unit
    }
}

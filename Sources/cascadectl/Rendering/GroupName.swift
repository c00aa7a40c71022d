// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The name that the system has for a group.
enum GroupName {
    /// `nil` if the system knows no such group.
    static func of(_ groupID: UInt32) -> String? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        var room = [CChar](repeating: 0, count: 16_384)
        return room.withUnsafeMutableBufferPointer { room in
            guard let start = room.baseAddress,
                getgrgid_r(groupID, &entry, start, room.count, &found) == 0, found != nil,
                let name = entry.gr_name
            else {
                return nil
            }
            return String(cString: name)
        }
    }
}

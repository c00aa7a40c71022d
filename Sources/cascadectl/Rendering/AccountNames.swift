// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The names of groups.
enum GroupName {
    /// Returns the name of a group; `nil` if it is unknown.
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

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The names of users.
enum UserName {
    /// Returns the name of a user; `nil` if it is unknown.
    static func of(_ userID: UInt32) -> String? {
        guard userID != .max else {
            return nil
        }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: 16_384)
        return room.withUnsafeMutableBufferPointer { room in
            guard let start = room.baseAddress,
                getpwuid_r(userID, &entry, start, room.count, &found) == 0, found != nil,
                let name = entry.pw_name
            else {
                return nil
            }
            return String(cString: name)
        }
    }
}

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

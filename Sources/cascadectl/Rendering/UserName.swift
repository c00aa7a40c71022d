// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The name that the system has for a user.
enum UserName {
    /// `nil` if the system knows no such user.
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

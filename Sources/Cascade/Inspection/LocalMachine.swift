// SPDX-License-Identifier: Apache-2.0

package import CascadeInspection
package import CascadeWire
import Glibc
import ZeroMQ

extension MachineLookup {
    /// The users and processes of this machine.
    package static let local = MachineLookup(
        userName: { UserName.of($0) }, residentByteCount: { ResidentMemory.byteCount(of: $0) })
}

/// The names of users.
package enum UserName {
    /// Returns the name of a user; `nil` if it is unknown.
    package static func of(_ userID: UInt32) -> String? {
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

/// The resident memory of processes on this machine.
package enum ResidentMemory {
    /// Returns the number of bytes; `nil` if the process does not exist.
    ///
    /// Source: proc_pid_statm(5).
    package static func byteCount(of processID: UInt32) -> UInt64? {
        guard let file = fopen("/proc/\(processID)/statm", "re") else {
            return nil
        }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else {
            return nil
        }
        let text = String(decoding: buffer.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        return fields.dropFirst().first.flatMap { UInt64($0) }.map {
            $0 * UInt64(sysconf(Int32(_SC_PAGESIZE)))
        }
    }
}

extension Timestamp {
    /// The present moment.
    package static var now: Timestamp {
        Timestamp(microseconds: Int64(RealtimeClock.now() / 1_000))
    }
}

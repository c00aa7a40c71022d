// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The kernel's list of listening unix sockets.
///
/// The process that opened a socket need not serve it: systemd opens sockets for others.
enum ListeningSocket {
    /// Returns whether the process has the socket that listens at `path`; `false` if that cannot be
    /// determined.
    static func isHeld(_ path: String, by process: pid_t) -> Bool {
        let numbers = inodes(of: path).map { "socket:[\($0)]" }
        guard !numbers.isEmpty, let folder = opendir("/proc/\(process)/fd") else {
            return false
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let target = target(of: "/proc/\(process)/fd/\(name)"), numbers.contains(target) {
                return true
            }
        }
        return false
    }

    /// Returns the inodes of the sockets that listen at a path. An old one may still exist for a
    /// path that was used again.
    private static func inodes(of path: String) -> [Substring] {
        guard let bytes = try? InputFile(path: "/proc/net/unix").read() else {
            return []
        }
        return inodes(of: path, in: String(decoding: bytes, as: UTF8.self))
    }

    /// The columns are number, references, protocol, flags, type, state, inode, path (proc(5)).
    static func inodes(of path: String, in list: String) -> [Substring] {
        list.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ", maxSplits: 7)
            guard columns.count == 8, columns[7] == path,
                let flags = UInt32(columns[3], radix: 16), flags & listens != 0
            else {
                return nil
            }
            return columns[6]
        }
    }

    /// `__SO_ACCEPTCON`
    private static let listens: UInt32 = 1 << 16

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink(link, &buffer, buffer.count)
        guard count > 0 else {
            return nil
        }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

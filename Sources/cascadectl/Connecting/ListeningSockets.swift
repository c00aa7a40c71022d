// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The unix sockets of this machine that listen, as the kernel lists them.
///
/// The process that opened a socket need not serve it: systemd opens sockets for others.
///
/// Source: proc_pid_net(5), `/proc/net/unix`: number, references, protocol, flags, type, state,
/// inode, path.
struct ListeningSockets {
    /// `__SO_ACCEPTCON`
    private static let acceptsConnections: UInt32 = 1 << 16

    private let sockets: [(inode: Substring, path: Substring)]

    /// Returns `nil` if the kernel's list cannot be read.
    init?() {
        guard let bytes = try? InputFile(path: "/proc/net/unix").read() else {
            return nil
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        sockets = lines.compactMap { line in
            let columns = line.split(separator: " ", maxSplits: 7)
            guard columns.count == 8, let flags = UInt32(columns[3], radix: 16),
                flags & Self.acceptsConnections != 0
            else {
                return nil
            }
            return (columns[6], columns[7])
        }
    }

    /// The number of sockets at a path. Of a path that was used again, the old socket may still
    /// listen.
    func count(at path: String) -> Int {
        sockets.count { $0.path == path }
    }

    /// Whether the process has a socket at the path. Returns false if that cannot be seen.
    func isHeld(_ path: String, by process: pid_t) -> Bool {
        let links = sockets.filter { $0.path == path }.map { "socket:[\($0.inode)]" }
        guard !links.isEmpty, let folder = opendir("/proc/\(process)/fd") else {
            return false
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let target = Self.target(of: "/proc/\(process)/fd/\(name)"), links.contains(target) {
                return true
            }
        }
        return false
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink(link, &buffer, buffer.count)
        guard count > 0 else {
            return nil
        }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

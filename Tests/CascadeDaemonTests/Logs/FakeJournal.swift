// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing

/// A socket that receives messages as systemd's journal does.
final class FakeJournal {
    let path: String
    private let descriptor: Int32

    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafeBytes(of: &address) { bytes in
            bind(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        try #require(result == 0, "\(path)")
    }

    deinit {
        close(descriptor)
    }

    /// Receives the next message, from its file if it has one; empty if the file is not sealed.
    func receive() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var file: Int32 = -1
        let count = cascade_datagram_receive(descriptor, &bytes, bytes.count, &file)
        guard file >= 0 else {
            return Array(bytes.prefix(max(count, 0)))
        }
        defer { close(file) }
        let seals = fcntl(file, 1034, 0)
        guard seals & 0xF == 0xF else {
            return []
        }
        var all: [UInt8] = []
        while true {
            let part = pread(file, &bytes, bytes.count, all.count)
            guard part > 0 else {
                return all
            }
            all += bytes.prefix(part)
        }
    }
}

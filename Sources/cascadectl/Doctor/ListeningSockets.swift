// SPDX-License-Identifier: Apache-2.0

/// The sockets of this machine that listen at a path, according to the kernel.
///
/// Source: proc_pid_net(5), `/proc/net/unix`: number, references, protocol, flags, type, state,
/// inode, path.
struct ListeningSockets {
    private static let acceptsConnections = "00010000"

    private let paths: [Substring]

    init(table: String) {
        paths = table.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true)
            return columns.count == 8 && columns[3] == Self.acceptsConnections ? columns[7] : nil
        }
    }

    func count(at path: String) -> Int {
        paths.count { $0 == path }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The lines of standard input, read by a thread of their own: a read blocks for as long as nobody
/// writes.
enum StandardInputLines {
    /// How long a program that has ended may take to close its other end, too.
    private static let closingMilliseconds: Int32 = 250

    /// Calls `onLine` with each line, without its end, and then `onEnd`, which is told whether the
    /// program is gone.
    static func read(
        onLine: @escaping @Sendable (String) -> Void,
        onEnd: @escaping @Sendable (_ isGone: Bool) -> Void
    ) throws {
        try OwnThread.detached {
            var line: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
                if count < 0, errno == EINTR {
                    continue
                }
                guard count > 0 else {
                    break
                }
                var rest = buffer[..<count]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    line.append(contentsOf: rest[..<end])
                    onLine(String(decoding: line, as: UTF8.self))
                    line.removeAll(keepingCapacity: true)
                    rest = rest[(end + 1)...]
                }
                line.append(contentsOf: rest)
            }
            if !line.isEmpty {
                onLine(String(decoding: line, as: UTF8.self))
            }
            onEnd(isReaderGone())
        }
    }

    /// Whether nothing reads standard output any more. A program that leaves closes one end and
    /// reads on until there is no more; the kernel closes both ends of one that was killed, one
    /// right after the other. Of a file it cannot be told, nor of a terminal that is there.
    private static func isReaderGone() -> Bool {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0 else {
            return false
        }
        let kind = status.st_mode & S_IFMT
        let isWaitedFor = kind == S_IFIFO || kind == S_IFSOCK
        // Errors and hang-ups are told unasked.
        var item = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&item, 1, isWaitedFor ? closingMilliseconds : 0) < 0, errno == EINTR {}
        return item.revents & Int16(POLLERR | POLLHUP) != 0
    }
}

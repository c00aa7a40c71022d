// SPDX-License-Identifier: Apache-2.0

import Cascade
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
            var lines = LineSplitter()
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
                if count < 0, errno == EINTR {
                    continue
                }
                guard count > 0 else {
                    break
                }
                lines.append(buffer[..<count])
                while let line = lines.next() {
                    onLine(line)
                }
            }
            if let line = lines.rest() {
                onLine(line)
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

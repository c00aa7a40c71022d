// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc
import ZeroMQ

/// The lines of standard input, read on a separate thread because reads block.
enum StandardInputLines {
    /// The time that a program that has exited may take to close its other pipe, in milliseconds.
    private static let closingMilliseconds: Int32 = 250

    /// Calls `onLine` with each line, without its line feed, and then `onEnd`, with whether the
    /// program has exited.
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

    /// Returns whether the reader of standard output is gone. A program that leaves closes one pipe
    /// and reads to the end of the other; the kernel closes both pipes of a killed program, one
    /// right after the other. For a file or a terminal the result is always `false`.
    private static func isReaderGone() -> Bool {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0 else {
            return false
        }
        let kind = status.st_mode & S_IFMT
        let isWaitedFor = kind == S_IFIFO || kind == S_IFSOCK
        // poll(2) reports errors and hang-ups without a request.
        var item = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&item, 1, isWaitedFor ? closingMilliseconds : 0) < 0, errno == EINTR {}
        return item.revents & Int16(POLLERR | POLLHUP) != 0
    }
}

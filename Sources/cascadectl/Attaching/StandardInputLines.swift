// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The lines of standard input, read by a thread of their own: a read blocks for as long as nobody
/// writes.
enum StandardInputLines {
    /// Calls `onLine` with each line, without its end, and then `onEnd`.
    static func read(
        onLine: @escaping @Sendable (String) -> Void, onEnd: @escaping @Sendable () -> Void
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
            onEnd()
        }
    }
}

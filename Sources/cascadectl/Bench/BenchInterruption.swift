// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signals that ask a bench to end. It ends its processes and takes its nodes out of the tree
/// then, so that they are read as something that can be waited for.
struct BenchInterruption {
    /// Readable once a signal has come.
    let readEnd: Int32

    private nonisolated(unsafe) static var writeEnd: Int32 = -1

    /// Takes the signals from now on. To be called once.
    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw BenchError("cannot make a pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readEnd = ends[0]
        Self.writeEnd = ends[1]
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in
                let saved = errno
                var byte: UInt8 = 0
                _ = write(BenchInterruption.writeEnd, &byte, 1)
                errno = saved
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signals that interrupt a benchmark. It then ends its processes and detaches its nodes, so
/// signals are read through a pipe.
struct BenchInterruption {
    /// A descriptor that becomes readable with the first signal.
    let readEnd: Int32

    private nonisolated(unsafe) static var writeEnd: Int32 = -1

    /// Installs the signal handlers. Call it once.
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

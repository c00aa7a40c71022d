// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Signals that arrive as bytes in a pipe, so that code outside of a signal handler takes them.
///
/// A process has one. A library would take the signals through Dispatch, which ignores a signal for a
/// moment before it has a handler of its own; here one handler takes the place of the other in one
/// step.
struct SignalPipe {
    /// Readable once a signal has come. Reads of it wait.
    let readEnd: Int32

    private nonisolated(unsafe) static var writeEnd: Int32 = -1

    /// Takes the signals from now on. Throws ``Stop`` if the process can have no pipe.
    init(_ signals: [Int32]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw Stop(.failure, "cannot open a pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends {
            // Programs that this process starts do not inherit it.
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        readEnd = ends[0]
        Self.writeEnd = ends[1]
        for number in signals {
            signal(number) { _ in
                let saved = errno
                var byte: UInt8 = 0
                _ = write(SignalPipe.writeEnd, &byte, 1)
                errno = saved
            }
        }
    }
}

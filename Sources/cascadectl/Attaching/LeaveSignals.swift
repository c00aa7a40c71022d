// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The signals SIGTERM and SIGINT, which ask a node of the command line to leave.
///
/// Before the node attaches they end the process with success; afterwards a thread reads them. One
/// handler replaces the other atomically, so that no signal is lost.
enum LeaveSignals {
    private static let numbers = [SIGTERM, SIGINT]
    /// The pipe to which the handler writes a byte for each signal.
    private nonisolated(unsafe) static var writeEnd: Int32 = -1

    /// Ends the process with success on the first signal.
    static func endProcess() {
        for number in numbers {
            signal(number) { _ in _exit(ExitStatus.done.rawValue) }
        }
    }

    /// Calls `onSignal` for each signal from now on. Throws ``Stop`` if no pipe is available.
    static func read(onSignal: @escaping @Sendable () -> Void) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw Stop(.failure, "cannot create a pipe: \(String(cString: strerror(errno)))")
        }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            // Commands that are run for visits do not inherit it.
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
        Self.writeEnd = writeEnd
        try OwnThread.detached {
            var byte: UInt8 = 0
            while Glibc.read(readEnd, &byte, 1) == 1 || errno == EINTR {
                onSignal()
            }
        }
        for number in numbers {
            signal(number) { _ in
                let saved = errno
                var byte: UInt8 = 0
                _ = write(LeaveSignals.writeEnd, &byte, 1)
                errno = saved
            }
        }
    }
}

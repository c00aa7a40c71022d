// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The signals SIGTERM and SIGINT, which ask a node of the command line to leave.
///
/// Before the node attaches they end the process with success; afterwards a thread reads them. One
/// handler replaces the other atomically, so that no signal is lost.
enum LeaveSignals {
    private static let numbers = [SIGTERM, SIGINT]

    /// Ends the process with success on the first signal.
    static func endProcess() {
        for number in numbers {
            signal(number) { _ in _exit(ExitStatus.done.rawValue) }
        }
    }

    /// Calls `onSignal` for each signal from now on. Throws ``Stop`` if no pipe is available.
    ///
    /// Swift 6.3.1 crashes when it inlines this into an asynchronous function of a release build.
    @inline(never)
    static func read(onSignal: @escaping @Sendable () -> Void) throws {
        let signals = try SignalPipe(numbers)
        try OwnThread.detached {
            while true {
                var byte: UInt8 = 0
                let count = Glibc.read(signals.readEnd, &byte, 1)
                if count == 1 {
                    onSignal()
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }
    }
}

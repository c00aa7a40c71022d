// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// SIGTERM and SIGINT, by which a node of the shell is asked to leave.
///
/// Until the node attaches there is nothing to take out of the tree, and the process just ends
/// well; from then on somebody reads the signals. One handler takes the place of the other in one
/// step, so that no signal falls between them.
enum LeaveSignals {
    private static let numbers = [SIGTERM, SIGINT]

    /// Ends the process, with success, on the first signal.
    static func endProcess() {
        for number in numbers {
            signal(number) { _ in _exit(ExitStatus.done.rawValue) }
        }
    }

    /// Calls `onSignal` for each signal from now on. Throws ``Stop`` where the system has no pipe.
    static func read(onSignal: @escaping @Sendable () -> Void) throws {
        let signals = try SignalPipe(numbers)
        try OwnThread.detached {
            var byte: UInt8 = 0
            while Glibc.read(signals.readEnd, &byte, 1) == 1 || errno == EINTR {
                onSignal()
            }
        }
    }
}

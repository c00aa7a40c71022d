// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc
import ZeroMQ

/// A pipe with the number of each signal that has arrived, as one byte, for code outside of signal
/// handlers.
///
/// A process has at most one. A Dispatch source would lose a signal, because it ignores the signal
/// before its own handler is in place; here one handler replaces the other atomically.
struct SignalPipe {
    /// The end to read from. Reads block until a signal arrives.
    let readEnd: Int32

    private nonisolated(unsafe) static var writeEnd: Int32 = -1

    /// Installs handlers for the signals. Throws ``Stop`` if the pipe cannot be opened.
    init(_ signals: [Int32]) throws {
        let pipe: Pipe
        do throws(ErrorNumber) {
            pipe = try Pipe()
        } catch {
            throw Stop(.failure, "cannot open a pipe: \(error)")
        }
        _ = fcntl(pipe.writeEnd, F_SETFL, O_NONBLOCK)
        readEnd = pipe.readEnd
        Self.writeEnd = pipe.writeEnd
        for number in signals {
            signal(number) { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(SignalPipe.writeEnd, &byte, 1)
                errno = saved
            }
        }
    }
}

// MARK: - Leaving

/// The signals SIGTERM and SIGINT, which ask the node of `attach` to leave.
///
/// Until the command runs they end the process with success; from then on a thread reads them.
enum LeaveSignals {
    private static let numbers = [SIGTERM, SIGINT]

    /// Makes the first signal end the process with success.
    static func exitOnSignal() {
        for number in numbers {
            signal(number) { _ in _exit(ExitStatus.done.rawValue) }
        }
    }

    /// Calls `onSignal` with each of these signals, and of `others`, from now on, on a thread of its
    /// own. Throws ``Stop`` if the pipe cannot be opened.
    ///
    /// Swift 6.3.1 crashes when it inlines this into an asynchronous function of a release build.
    @inline(never)
    static func read(
        also others: [Int32], onSignal: @escaping @Sendable (Int32) -> Void
    ) throws {
        let signals = try SignalPipe(numbers + others)
        try OwnThread.detached {
            while true {
                var byte: UInt8 = 0
                let count = Glibc.read(signals.readEnd, &byte, 1)
                if count == 1 {
                    onSignal(Int32(byte))
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The end of a child process.
public enum ChildExit: Hashable, Sendable {
    /// The process exited with this status.
    case exited(Int32)
    /// The process was terminated by this signal.
    case signalled(Int32)

    /// Creates a value from the status of `waitpid`.
    init(status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    /// Waits for a child to end, and reaps it. Returns `nil` if the task is cancelled before.
    /// Throws ``SystemCallError`` if the child does not exist.
    static func wait(for processID: Int32) async throws -> ChildExit? {
        let (results, continuation) = AsyncThrowingStream<ChildExit, any Error>.makeStream()
        // The thread waits until the child has ended, even after a cancellation.
        try OwnThread.detached {
            var status: Int32 = 0
            var result = waitpid(processID, &status, 0)
            while result < 0, errno == EINTR {
                result = waitpid(processID, &status, 0)
            }
            if result < 0 {
                continuation.finish(throwing: SystemCallError("wait for process \(processID)"))
            } else {
                continuation.yield(ChildExit(status: status))
                continuation.finish()
            }
        }
        for try await exit in results {
            return exit
        }
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// How a child process ended.
public enum ChildExit: Hashable, Sendable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal.
    case signalled(Int32)

    /// The status as `waitpid` tells it.
    init(status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    /// Waits for a child to end, and takes its status: nobody else gets it. `nil` if the task is
    /// cancelled before. Throws ``SystemCallError`` if there is no such child.
    static func wait(for processID: Int32) async throws -> ChildExit? {
        let (results, continuation) = AsyncThrowingStream<ChildExit, any Error>.makeStream()
        // The thread stays until the child has ended, whoever still wants to know.
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

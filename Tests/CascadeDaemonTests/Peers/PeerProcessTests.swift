// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import ZeroMQ

@testable import CascadeDaemon

@Suite(.enabled(if: ProcessWatch.isPossible, "requires pidfd_open")) struct PeerProcessTests {
    private var now: Duration {
        MonotonicClock.time
    }

    private func isOpened(_ processID: Int32, acceptTime: Duration?) -> Bool {
        let descriptor = PeerProcess.open(byID: UInt32(processID), acceptTime: acceptTime)
        guard descriptor >= 0 else {
            return false
        }
        close(descriptor)
        return true
    }

    @Test func `a process is found by its ID if it ran when its connection was accepted`() {
        #expect(isOpened(getpid(), acceptTime: now))
        #expect(isOpened(getpid(), acceptTime: nil))
    }

    @Test func `a process that has started after the connection was accepted is not its peer`()
        throws
    {
        // This process had not started an hour before, and nor had a process that begins now.
        #expect(!isOpened(getpid(), acceptTime: now - .seconds(3_600)))
        let before = now - .milliseconds(20)
        let later = try sleeper()
        defer { end(later) }
        #expect(!isOpened(later, acceptTime: before))
        #expect(isOpened(later, acceptTime: nil))
    }

    @Test func `a process that has ended is not found by its ID`() throws {
        let ended = try sleeper()
        end(ended)
        #expect(!isOpened(ended, acceptTime: nil))
    }

    @Test func `the process at the other end of a connection has a descriptor`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer {
            for end in ends {
                close(end)
            }
        }
        let descriptor = PeerProcess.open(
            UInt32(getpid()), connection: ends[0], acceptTime: now)
        #expect(descriptor >= 0)
        close(descriptor)
    }

    /// Starts a process that waits for a signal.
    private func sleeper() throws -> pid_t {
        var process = pid_t()
        let path = "/usr/bin/sleep"
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup("600"), nil]
        defer {
            for argument in arguments {
                free(argument)
            }
        }
        try #require(posix_spawn(&process, path, nil, nil, &arguments, nil) == 0)
        return process
    }

    private func end(_ process: pid_t) {
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A process of a benchmark, with its output lines.
final class BenchProcess {
    let processID: pid_t
    private let output: Int32
    private let interruption: SignalPipe
    private var lines = LineSplitter()
    /// Whether it has said that it is ready.
    private(set) var isReady = false

    /// Starts `arguments`, the first of which is the program, in a separate process group, so that
    /// signals of a terminal reach only the benchmark itself. The parent reads its standard output
    /// or, with `readsErrors`, its standard error.
    init(
        _ arguments: [String], _ interruption: SignalPipe, readsErrors: Bool = false
    ) throws {
        self.interruption = interruption
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw BenchError("cannot make a pipe: \(String(cString: strerror(errno)))")
        }
        // The processes that are started later do not inherit it.
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], readsErrors ? 2 : 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        defer {
            for word in words {
                free(word)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var processID = pid_t()
        let result = posix_spawn(&processID, arguments[0], &actions, &attributes, words, environ)
        close(ends[1])
        guard result == 0 else {
            close(ends[0])
            throw BenchError("cannot start \(arguments[0]): \(String(cString: strerror(result)))")
        }
        self.processID = processID
        output = ends[0]
    }

    /// Waits until the process reports that it is ready.
    func waitUntilReady(withinMilliseconds limit: Int32) throws {
        _ = try line(withinMilliseconds: limit)
        isReady = true
    }

    /// Returns the next line of output. Throws ``BenchError`` at the end of the output or after the
    /// time limit, and ``BenchInterrupted`` after a signal.
    func line(withinMilliseconds limit: Int32) throws -> String {
        while true {
            if let line = lines.next() {
                return line
            }
            var items = [output, interruption.readEnd].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let count = poll(&items, nfds_t(items.count), limit)
            guard items[1].revents == 0 else {
                throw BenchInterrupted()
            }
            guard count != -1 || errno != EINTR else {
                continue
            }
            guard count > 0 else {
                throw BenchError("a process of the benchmark made no progress for \(limit) ms")
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let byteCount = read(output, &buffer, buffer.count)
            guard byteCount > 0 else {
                throw BenchError("a process of the benchmark ended early")
            }
            lines.append(buffer.prefix(byteCount))
        }
    }

    /// Sends a signal and waits for the end of the process.
    func stop(_ signal: Int32) {
        kill(processID, signal)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
        close(output)
    }
}

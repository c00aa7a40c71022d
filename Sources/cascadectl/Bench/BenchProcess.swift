// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process of a bench, and the lines that it prints.
final class BenchProcess {
    let processID: pid_t
    private let output: Int32
    private var unread: [UInt8] = []

    /// Starts `arguments`, of which the first is the program. Its standard output is read here, or,
    /// with `readsErrors`, its standard error.
    init(_ arguments: [String], readsErrors: Bool = false) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw BenchError("cannot make a pipe: \(String(cString: strerror(errno)))")
        }
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
        var processID = pid_t()
        let result = posix_spawn(&processID, arguments[0], &actions, nil, words, environ)
        close(ends[1])
        guard result == 0 else {
            close(ends[0])
            throw BenchError("cannot start \(arguments[0]): \(String(cString: strerror(result)))")
        }
        self.processID = processID
        output = ends[0]
    }

    /// The next line of its output; throws ``BenchError`` at the end of it, or if none comes in
    /// time.
    func line(withinMilliseconds limit: Int32) throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                return line
            }
            var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&item, 1, limit) > 0 else {
                throw BenchError("a process of the bench said nothing for \(limit) ms")
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else {
                throw BenchError("a process of the bench ended early")
            }
            unread += buffer.prefix(count)
        }
    }

    /// Ends the process and waits for its end.
    func stop(_ signal: Int32) {
        kill(processID, signal)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
        close(output)
    }
}

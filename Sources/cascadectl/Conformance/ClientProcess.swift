// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The process of the client under test, whose standard input and output are pipes of lines.
///
/// It leads a process group of its own, which ends with it.
final class ClientProcess {
    private let processID: pid_t
    private let input: Int32
    /// The end of the pipe from which the client's lines are read.
    let output: Int32
    private let commandGuard: CommandGuard
    private var splitter = LineSplitter()
    /// Whether the client has closed its output.
    private(set) var isAtEnd = false
    private var exitStatus: Int32?

    /// Starts the client.
    ///
    /// - Parameters:
    ///   - environment: Variables beside those of this process.
    ///   - commandGuard: Ends the client if this process exits before it.
    init(
        _ program: ProgramFile, environment: [String: String], commandGuard: CommandGuard
    ) throws {
        var toClient: [Int32] = [-1, -1]
        var fromClient: [Int32] = [-1, -1]
        guard pipe(&toClient) == 0 else {
            throw Self.failure(errno)
        }
        guard pipe(&fromClient) == 0 else {
            let code = errno
            for end in toClient {
                close(end)
            }
            throw Self.failure(code)
        }
        for end in toClient + fromClient {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        var processID = pid_t()
        let result = Self.spawn(
            &processID, program, environment, input: toClient[0], output: fromClient[1])
        close(toClient[0])
        close(fromClient[1])
        guard result == 0 else {
            close(toClient[1])
            close(fromClient[0])
            throw Self.failure(result)
        }
        self.processID = processID
        self.commandGuard = commandGuard
        input = toClient[1]
        output = fromClient[0]
        commandGuard.begin(processID)
    }

    /// Writes a line to the client's standard input. A client that has exited reads nothing.
    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(input, bytes, bytes.count)
    }

    /// Reads what the client has printed, and returns the complete lines. Blocks unless ``output``
    /// is readable.
    func readLines() -> [String] {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(output, &chunk, chunk.count)
        guard count > 0 else {
            isAtEnd = count == 0 || errno != EINTR
            return splitter.rest().map { [$0] } ?? []
        }
        splitter.append(chunk[..<count])
        var lines: [String] = []
        while let line = splitter.next() {
            lines.append(line)
        }
        return lines
    }

    /// Returns the exit status, 128 and its number for a signal; `nil` if the client still runs.
    func exited() -> Int32? {
        var status: Int32 = 0
        if exitStatus == nil, waitpid(processID, &status, WNOHANG) == processID {
            let signal = status & 0x7F
            exitStatus = signal == 0 ? status >> 8 & 0xFF : 128 + signal
        }
        return exitStatus
    }

    /// Ends the client and the processes of its group, and waits for the client.
    func end() {
        kill(-processID, SIGKILL)
        if exitStatus == nil {
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        }
        commandGuard.end(processID)
        close(input)
        close(output)
    }

    private static func spawn(
        _ processID: inout pid_t, _ program: ProgramFile, _ environment: [String: String],
        input: Int32, output: Int32
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = program.arguments.map { strdup($0) }
        var variables = inherited(without: environment)
        variables += environment.map { strdup("\($0.key)=\($0.value)") }
        words.append(nil)
        variables.append(nil)
        defer {
            for word in words + variables {
                free(word)
            }
        }
        return posix_spawn(&processID, program.path, &actions, &attributes, words, variables)
    }

    /// Returns the variables of this process except those with the given names.
    private static func inherited(
        without names: [String: String]
    ) -> [UnsafeMutablePointer<CChar>?] {
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            let name = String(cString: variable).prefix { $0 != "=" }
            if names[String(name)] == nil {
                variables.append(strdup(variable))
            }
            next = next.advanced(by: 1)
        }
        return variables
    }

    private static func failure(_ code: Int32) -> Stop {
        Stop(.failure, "cannot start the client: \(String(cString: strerror(code)))")
    }
}

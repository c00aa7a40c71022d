// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A program that this process has started.
struct StartedProgram {
    let name: String
    let process: pid_t

    /// Starts a program that is found as a shell finds it.
    ///
    /// - Parameters:
    ///   - output: The descriptor of its output and its errors; `nil` for those of this process.
    ///   - variables: Variables of its environment, besides those of this process.
    init(
        _ arguments: [String], output: Int32?, variables: [String: String] = [:]
    ) throws(ProgramError) {
        name = arguments.first ?? ""
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        }
        // The calling thread may block signals, as threads of Swift's pool do; the program must not.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = Self.cStrings(arguments)
        var environment = Self.cStrings(Self.environment(with: variables))
        defer {
            for word in words + environment {
                free(word)
            }
        }
        var process: pid_t = 0
        let code = posix_spawnp(
            &process, name, &actions, &attributes, &words, &environment)
        guard code == 0 else {
            throw ProgramError(program: name, code: code)
        }
        self.process = process
    }

    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    private static func environment(with variables: [String: String]) -> [String] {
        var entries = variables.map { "\($0.key)=\($0.value)" }
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if variables[String(text.prefix { $0 != "=" })] == nil {
                entries.append(text)
            }
            next += 1
        }
        return entries
    }

    /// Waits for the end of the program. Returns its exit status, or 128 and the number of the signal.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return Self.exitStatus(status)
    }

    /// Returns the exit status if the program has ended; `nil` if it runs.
    func poll() -> Int32? {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) == process ? Self.exitStatus(status) : nil
    }

    /// Whether the program has not ended.
    var isRunning: Bool {
        waitpid(process, nil, WNOHANG) == 0
    }

    func signal(_ number: Int32) {
        kill(process, number)
    }

    private static func exitStatus(_ status: Int32) -> Int32 {
        status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}

/// The reason why a program does not start.
struct ProgramError: Error, Equatable, CustomStringConvertible {
    let program: String
    let code: Int32

    var description: String {
        "cannot start '\(program)': \(ErrorNumber(code))"
    }
}

/// The exit status of a program, and its output.
struct ProgramResult {
    let status: Int32
    let output: String

    /// Runs a program to its end. Throws ``ProgramError`` if it cannot be started.
    init(running arguments: [String]) throws(ProgramError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw ProgramError(program: arguments.first ?? "", code: errno)
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        defer { close(ends[0]) }
        let program: StartedProgram
        do throws(ProgramError) {
            program = try StartedProgram(arguments, output: ends[1])
        } catch {
            close(ends[1])
            throw error
        }
        close(ends[1])
        output = String(
            decoding: (try? SetupFolder.bytes(of: ends[0], "the output")) ?? [], as: UTF8.self)
        status = program.wait()
    }

    var lastLine: String {
        output.split(separator: "\n").last.map(String.init) ?? "status \(status)"
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A program to start with posix_spawn(3). It leads a process group of its own, so that the signals of a
/// terminal do not reach it and one signal can end it with its children.
///
/// No signal is blocked in it, and SIGPIPE has its default action, whatever holds for this process.
struct ProgramStart {
    /// A standard descriptor of the program.
    enum Stream {
        /// That of this process.
        case inherited
        case devNull
        /// A descriptor of this process.
        case descriptor(Int32)
    }

    let path: String
    /// The words of the command line, of which the first is the program's name.
    let words: [String]
    /// Variables of the environment, beside those of this process.
    var variables: [String: String] = [:]
    var input = Stream.inherited
    var output = Stream.inherited
    var errors = Stream.inherited

    /// Starts the program, and returns its process ID.
    func run() throws(ErrorNumber) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        Self.add(input, as: STDIN_FILENO, O_RDONLY, to: &actions)
        Self.add(output, as: STDOUT_FILENO, O_WRONLY, to: &actions)
        Self.add(errors, as: STDERR_FILENO, O_WRONLY, to: &actions)
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
        let arguments = Self.cStrings(words)
        let environment =
            inheritedVariables() + Self.cStrings(variables.map { "\($0.key)=\($0.value)" })
        defer {
            for text in arguments + environment {
                free(text)
            }
        }
        var process = pid_t()
        let code = posix_spawn(&process, path, &actions, &attributes, arguments, environment)
        guard code == 0 else {
            throw ErrorNumber(code)
        }
        return process
    }

    private static func add(
        _ stream: Stream, as standard: Int32, _ mode: Int32,
        to actions: inout posix_spawn_file_actions_t
    ) {
        switch stream {
        case .inherited: break
        case .devNull:
            posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", mode, 0)
        case .descriptor(let descriptor):
            posix_spawn_file_actions_adddup2(&actions, descriptor, standard)
        }
    }

    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    /// Returns copies of this process's variables except those that ``variables`` replaces.
    private func inheritedVariables() -> [UnsafeMutablePointer<CChar>?] {
        var copies: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            let name = String(cString: variable).prefix { $0 != "=" }
            if variables[String(name)] == nil {
                copies.append(strdup(variable))
            }
            next = next.advanced(by: 1)
        }
        return copies
    }
}

/// A pipe that the programs started by this process do not inherit.
struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws(ErrorNumber) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw ErrorNumber(errno)
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    func close() {
        Glibc.close(readEnd)
        Glibc.close(writeEnd)
    }
}

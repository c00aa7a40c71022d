// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// An executable program, found as execvp(3) finds it: a word with a slash is a path, and any other
/// word is looked up in `PATH`.
struct ProgramFile: Sendable {
    /// The absolute path to execute.
    let path: String
    /// The arguments, beginning with the program's name.
    let arguments: [String]

    /// The number of scripts that the kernel follows from interpreter to interpreter.
    private static let interpretersMax = 4
    private static let shell = "/bin/sh"

    /// Finds a program. Throws ``Stop`` if it does not exist or cannot be executed.
    ///
    /// - Parameter words: The program and its arguments; at least one.
    init(_ words: [String]) throws {
        let word = words[0]
        var problem: Stop?
        for candidate in Self.candidates(word) {
            do {
                let path = try Self.absolute(candidate)
                let isScriptOfShell = try Self.check(path, word)
                self.path = isScriptOfShell ? Self.shell : path
                arguments = isScriptOfShell ? ["sh", path] + words.dropFirst() : words
                return
            } catch let stop as Stop {
                // As in execvp(3), the search continues after a file that cannot be executed. If it
                // finds no other, the error is about that file.
                if problem == nil || problem?.status == .notFound {
                    problem = stop
                }
            }
        }
        throw problem ?? Self.missing(word)
    }

    /// Returns the paths at which the program may be, in order.
    private static func candidates(_ word: String) -> [String] {
        guard !word.contains("/"), !word.isEmpty else {
            return [word]
        }
        let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return search.split(separator: ":", omittingEmptySubsequences: false).map { directory in
            (directory.isEmpty ? "." : directory) + "/" + word
        }
    }

    /// Returns the absolute path, which names the same program after a change of directory.
    private static func absolute(_ path: String) throws -> String {
        guard !path.hasPrefix("/"), !path.isEmpty else {
            return path
        }
        guard let directory = getcwd(nil, 0) else {
            throw Stop(
                .notExecutable,
                "cannot determine the current directory: \(ErrorNumber(errno))")
        }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }

    // MARK: - Executability

    /// Returns whether the file is a script without an interpreter line, which the shell runs.
    /// Throws ``Stop`` if it cannot be executed.
    private static func check(_ path: String, _ word: String, depth: Int = 0) throws -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? missing(word) : unusable(word, ErrorNumber(errno).description)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw unusable(word, "it is a directory")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw unusable(word, "it is not a regular file")
        }
        guard faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 else {
            throw unusable(
                word,
                errno == EACCES ? "it is not executable" : ErrorNumber(errno).description)
        }
        let beginning = beginning(of: path)
        guard let interpreter = interpreter(in: beginning) else {
            return isText(beginning)
        }
        guard depth < interpretersMax else {
            throw unusable(word, "its interpreters are scripts themselves, too many of them")
        }
        do {
            _ = try check(interpreter, interpreter, depth: depth + 1)
        } catch let stop as Stop {
            throw unusable(word, "its first line names an interpreter: \(stop.message ?? "")")
        }
        return false
    }

    /// Returns the first 256 bytes, which the kernel examines; `nil` if the file is not readable.
    private static func beginning(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "re") else {
            return nil
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    /// Returns the interpreter that the first line names; `nil` if it names none.
    private static func interpreter(in beginning: [UInt8]?) -> String? {
        guard let beginning, beginning.starts(with: Array("#!".utf8)) else {
            return nil
        }
        let line = beginning.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
        let blanks: Set = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        let word = line.drop { blanks.contains($0) }.prefix { !blanks.contains($0) && $0 != 0 }
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    /// Returns whether the bytes are text; native programs have zeros among their first bytes.
    private static func isText(_ beginning: [UInt8]?) -> Bool {
        beginning.map { !$0.contains(0) } ?? false
    }

    private static func missing(_ word: String) -> Stop {
        Stop(
            .notFound,
            word.contains("/")
                ? "cannot run '\(word)': there is no such file"
                : "cannot run '\(word)': it is not in any directory of PATH")
    }

    private static func unusable(_ word: String, _ why: String) -> Stop {
        Stop(.notExecutable, "cannot run '\(word)': \(why)")
    }
}

// MARK: - Execution

/// A program that replaces this process, so that its exit status and signals are the caller's to
/// see.
struct ProgramReplacement {
    private let program: ProgramFile
    private let variables: EnvironmentVariables

    /// - Parameter program: The program. It was found in the `PATH` of this process, not in that of
    ///   `variables`.
    init(_ program: ProgramFile, _ variables: EnvironmentVariables) {
        self.program = program
        self.variables = variables
    }

    /// Executes the program. Returns the reason if that fails; otherwise does not return.
    func run() -> Stop {
        var copies: [UnsafeMutablePointer<CChar>?] = program.arguments.map { strdup($0) }
        copies.append(nil)
        defer {
            for copy in copies {
                free(copy)
            }
        }
        resetSignals()
        for variable in variables.list {
            setenv(variable.name, variable.value, 1)
        }
        execv(program.path, copies)
        return Stop(
            .notExecutable, "cannot run '\(program.path)': \(ErrorNumber(errno))")
    }

    /// Restores the default handling of signals and unblocks them. The program would inherit that
    /// the runtime's threads block signals.
    private func resetSignals() {
        signal(SIGINT, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }
}

// MARK: - Variables

/// The environment variables that a program gets in addition to those of this process.
struct EnvironmentVariables {
    private(set) var list: [(name: String, value: String)] = []
    private var names: Set<String> = []

    /// Adds a variable. Returns `false` if the name is already set, or the value contains a NUL.
    @discardableResult
    mutating func add(_ name: String, _ value: String) -> Bool {
        guard !value.utf8.contains(0), names.insert(name).inserted else {
            return false
        }
        list.append((name, value))
        return true
    }

    /// Returns a key in upper case, with `_` for each character other than a letter or digit.
    static func name(_ key: String) -> String {
        key.unicodeScalars.map { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? String(scalar).uppercased() : "_"
        }.joined()
    }
}

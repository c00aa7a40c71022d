// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An executable program, found as execvp(3) finds it: a word with a slash is a path, relative to
/// the current directory unless it begins with a slash; any other word is looked up in `PATH`.
struct ProgramFile: Sendable {
    /// The path for the kernel.
    let path: String
    /// The arguments, beginning with the program's name.
    let arguments: [String]

    /// The kernel's limit for scripts that name each other as interpreters.
    private static let interpretersMax = 4
    private static let shell = "/bin/sh"

    /// Throws ``Stop`` if the program does not exist or cannot be executed.
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
                // As with execvp(3), the search continues after a file that cannot be executed, but
                // that error is reported rather than a missing file.
                if problem == nil || problem?.status == .notFound {
                    problem = stop
                }
            }
        }
        throw problem ?? Self.missing(word)
    }

    private static func candidates(_ word: String) -> [String] {
        guard !word.contains("/"), !word.isEmpty else {
            return [word]
        }
        let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return search.split(separator: ":", omittingEmptySubsequences: false).map { directory in
            (directory.isEmpty ? "." : directory) + "/" + word
        }
    }

    /// Returns the absolute path, so that the program stays the same when the directory changes.
    private static func absolute(_ path: String) throws -> String {
        guard !path.hasPrefix("/"), !path.isEmpty else {
            return path
        }
        guard let directory = getcwd(nil, 0) else {
            throw Stop(
                .notExecutable,
                "cannot determine the current directory: \(String(cString: strerror(errno)))")
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
                ? missing(word) : unusable(word, String(cString: strerror(errno)))
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
                errno == EACCES ? "it is not executable" : String(cString: strerror(errno)))
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

    /// Returns the bytes that the kernel examines; `nil` if the file is executable but not
    /// readable.
    private static func beginning(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "re") else {
            return nil
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    private static func interpreter(in beginning: [UInt8]?) -> String? {
        guard let beginning, beginning.starts(with: Array("#!".utf8)) else {
            return nil
        }
        let line = beginning.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
        let blanks: Set = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        let word = line.drop { blanks.contains($0) }.prefix { !blanks.contains($0) && $0 != 0 }
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    /// Returns whether the bytes are text. Native programs have zeros at their beginning.
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

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program that can be run, found as execvp(3) finds it: a word with a slash is a path, from the
/// current directory where it does not begin with one; any other is looked for in `PATH`.
struct ProgramFile: Sendable {
    /// What the kernel is to run.
    let path: String
    /// The arguments, the program's own name as the first.
    let arguments: [String]

    /// Scripts that name one another as their interpreters; the kernel's own bound.
    private static let interpretersMax = 4
    private static let shell = "/bin/sh"

    /// Throws ``Stop`` if the program is not there or cannot be run.
    ///
    /// - Parameter words: the program and its arguments; at least one.
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
                // As execvp(3) does it: a file that may not be run hides none further on, but it
                // says better than its absence what is wrong.
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

    /// The path from the root: the program stays the same wherever its caller goes.
    private static func absolute(_ path: String) throws -> String {
        guard !path.hasPrefix("/"), !path.isEmpty else {
            return path
        }
        guard let directory = getcwd(nil, 0) else {
            throw Stop(
                .notExecutable,
                "the current directory has no path: \(String(cString: strerror(errno)))")
        }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }

    // MARK: - Whether it can be run

    /// Returns whether the file is a script that names no interpreter, so that the shell runs it.
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
            throw unusable(word, "it is no file")
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

    /// What the kernel looks at; empty where the file may be run and not read.
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

    /// Programs in the machine's own form have zeros at their beginning.
    private static func isText(_ beginning: [UInt8]?) -> Bool {
        beginning.map { !$0.contains(0) } ?? false
    }

    private static func missing(_ word: String) -> Stop {
        Stop(
            .notFound,
            word.contains("/")
                ? "cannot run '\(word)': there is no such file"
                : "cannot run '\(word)': it is in none of the directories of PATH")
    }

    private static func unusable(_ word: String, _ why: String) -> Stop {
        Stop(.notExecutable, "cannot run '\(word)': \(why)")
    }
}

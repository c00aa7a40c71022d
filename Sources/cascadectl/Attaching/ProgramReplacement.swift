// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program that takes the place of this one, so that its exit code and the signals that it gets
/// are its own business.
struct ProgramReplacement {
    private let words: [String]
    private let variables: EnvironmentVariables

    /// - Parameter words: the program and its arguments; at least one.
    init(_ words: [String], _ variables: EnvironmentVariables) {
        self.words = words
        self.variables = variables
    }

    /// Runs the program; returns only if that is not possible, with the reason.
    func run() -> Stop {
        // The program is looked for where this one would look, whatever the variables say.
        let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        var copies: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        copies.append(nil)
        defer {
            for copy in copies {
                free(copy)
            }
        }
        resetSignals()
        var problem = ENOENT
        for file in Self.candidates(words[0], search) {
            for variable in variables.list {
                setenv(variable.name, variable.value, 1)
            }
            execv(file, copies)
            // The first that is there says what is wrong.
            if problem == ENOENT || problem == ENOTDIR {
                problem = errno
            }
        }
        let isThere = problem != ENOENT && problem != ENOTDIR
        return Stop(
            isThere ? .notExecutable : .notFound,
            "'\(words[0])' could not be run: \(String(cString: strerror(problem)))")
    }

    /// Threads of the runtime block signals, and that would be inherited.
    private func resetSignals() {
        signal(SIGINT, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    private static func candidates(_ word: String, _ search: String) -> [String] {
        guard !word.contains("/") else {
            return [word]
        }
        return search.split(separator: ":", omittingEmptySubsequences: false).map { directory in
            (directory.isEmpty ? "." : directory) + "/" + word
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program that replaces this process, so that its exit status and signals are its own.
struct ProgramReplacement {
    private let program: ProgramFile
    private let variables: EnvironmentVariables

    /// - Parameter program: The program, found in the `PATH` of this process, not in that of
    ///   `variables`.
    init(_ program: ProgramFile, _ variables: EnvironmentVariables) {
        self.program = program
        self.variables = variables
    }

    /// Executes the program. Returns only if that fails, with the reason.
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
            .notExecutable, "cannot run '\(program.path)': \(String(cString: strerror(errno)))")
    }

    /// Restores the default signal handling: threads of the runtime block signals, and programs
    /// would inherit that.
    private func resetSignals() {
        signal(SIGINT, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }
}

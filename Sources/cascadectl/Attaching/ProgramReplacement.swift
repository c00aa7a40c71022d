// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program that takes the place of this one, so that its exit code and the signals that it gets
/// are its own business.
struct ProgramReplacement {
    private let program: ProgramFile
    private let variables: EnvironmentVariables

    /// - Parameter program: found where this program would look, whatever the variables say.
    init(_ program: ProgramFile, _ variables: EnvironmentVariables) {
        self.program = program
        self.variables = variables
    }

    /// Runs the program; returns only if that is not possible, with the reason.
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

    /// Threads of the runtime block signals, and that would be inherited.
    private func resetSignals() {
        signal(SIGINT, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }
}

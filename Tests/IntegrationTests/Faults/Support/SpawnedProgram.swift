// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A program that was built beside the tests, in a process that is killed with its owner.
final class SpawnedProgram {
    /// How a process ended.
    struct Ending {
        /// `nil` if a signal ended it.
        var exitCode: Int32?
        var output: OutputPipe
        var diagnostics: OutputPipe
    }

    let processID: pid_t
    let output: OutputPipe
    let diagnostics: OutputPipe
    private var input: Int32
    private var hasEnded = false

    init(_ name: String, _ arguments: [String], bus: String) throws {
        output = try OutputPipe()
        diagnostics = try OutputPipe()
        let standardInput = try InheritedPipe()
        defer { close(standardInput.readEnd) }
        input = standardInput.writeEnd
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardInput.readEnd, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.writeEnd, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, diagnostics.writeEnd, STDERR_FILENO)
        let path = try Self.path(of: name)
        var process = pid_t()
        let result = Self.withAttributes { attributes in
            Self.withStrings([path] + arguments) { arguments in
                Self.withStrings(Self.environment(bus: bus)) { environment in
                    posix_spawn(&process, path, &actions, &attributes, arguments, environment)
                }
            }
        }
        processID = process
        output.closeWriteEnd()
        diagnostics.closeWriteEnd()
        try #require(result == 0, "\(path) cannot be started")
    }

    deinit {
        closeInput()
        if !hasEnded {
            kill()
            _ = wait(0)
        }
    }

    // MARK: - Input and signals

    func write(line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(input, bytes, bytes.count)
    }

    func closeInput() {
        if input >= 0 {
            close(input)
            input = -1
        }
    }

    /// Whether the process has a handler of its own for a signal.
    func isCatching(_ signal: Int32) throws -> Bool {
        let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        let mask = caught.flatMap { UInt64($0.dropFirst(7).trimmingPrefix("\t"), radix: 16) } ?? 0
        return mask & (1 << UInt64(signal - 1)) != 0
    }

    func openFileCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count
    }

    func signal(_ number: Int32) {
        Glibc.kill(processID, number)
    }

    /// Stops the process and waits until it is stopped.
    func stop() {
        signal(SIGSTOP)
        _ = wait(WUNTRACED)
    }

    func kill() {
        signal(SIGKILL)
    }

    /// Waits until the process ends.
    func end(within milliseconds: Int = Patience.milliseconds) throws -> Ending {
        try output.readToEnd(within: milliseconds)
        try diagnostics.readToEnd()
        let status = wait(0)
        hasEnded = true
        return Ending(
            exitCode: status & 0x7F == 0 ? (status >> 8) & 0xFF : nil, output: output,
            diagnostics: diagnostics)
    }

    private func wait(_ options: Int32) -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, options) < 0, errno == EINTR {}
        return status
    }

    // MARK: - Starting

    /// The folder of the programs that were built beside the tests, or of those to be measured.
    static func directory() throws -> URL {
        if let directory = getenv("CASCADE_PROGRAMS") {
            return URL(filePath: String(cString: directory))
        }
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent()
    }

    static func path(of name: String) throws -> String {
        name.hasPrefix("/") ? name : try directory().appending(path: name).path
    }

    private static func environment(bus: String) -> [String] {
        // CASCADE_TRANSPORT=libzmq tests the other transport.
        let kept = [
            "PATH", "HOME", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "CASCADE_TRANSPORT",
        ].compactMap { (key: String) -> String? in
            getenv(key).map { "\(key)=\(String(cString: $0))" }
        }
        return kept + ["CASCADE_BUS=\(bus)"]
    }

    /// The new process must not inherit the signals that the tests' threads block or ignore.
    private static func withAttributes(
        _ body: (inout posix_spawnattr_t) -> Int32
    ) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        return body(&attributes)
    }

    private static func withStrings(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32
    ) -> Int32 {
        let copies = strings.map { strdup($0) }
        defer {
            for copy in copies {
                free(copy)
            }
        }
        return body(copies + [nil])
    }
}

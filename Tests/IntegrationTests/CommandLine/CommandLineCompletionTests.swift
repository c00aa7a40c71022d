// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineCompletionTests {
        /// A partial command line, and the candidates that the shell must show.
        private nonisolated static let lines: [(line: String, expected: [String])] = [
            ("cascadectl tree /", ["/shop/photo", "/shop/window"]),
            ("cascadectl status /shop/ph", ["/shop/photo "]),
            ("cascadectl move /shop/window /shop/ph", ["/shop/photo "]),
            ("cascadectl trigger X --from /shop/ph", ["/shop/photo "]),
            ("cascadectl trigger ", ["PrintJob", "Declared"]),
            ("cascadectl request Pr", ["Price "]),
            ("cascadectl report J", ["Jam "]),
            ("cascadectl publish Door", ["DoorBell "]),
            ("cascadectl trigger set:m", ["set:mode "]),
            ("cascadectl env explain is", ["isOpen "]),
            // A value that only the nodes below its place read: the place is not typed yet.
            ("cascadectl env get hou", ["hours "]),
            ("cascadectl tree --bus BUS /shop/ph", ["/shop/photo "]),
            ("cascadectl rules ch", ["check "]),
        ]

        nonisolated private static let shells = ["bash", "fish", "zsh"].filter { shell in
            access("/usr/bin/\(shell)", X_OK) == 0
        }

        @Test(arguments: shells)
        func `a shell completes paths, names and keys of the bus`(shell: String) throws {
            try FaultBus.open { bus in
                let folder = try Self.scripts()
                defer { FaultBus.removeDirectory(folder) }
                let shop = try bus.attach(
                    "/shop",
                    [
                        "--handle", "PrintJob", "--respond", "Price", "--handle-error", "Jam",
                        "--env", "isOpen=true", "--env", "hours=9",
                    ])
                let photo = try bus.attach(
                    "/shop/photo",
                    ["--subscribe", "DoorBell", "--handle", "set:mode", "--triggers", "Declared"])
                let window = try bus.attach("/shop/window", ["--subscribe", "DoorBell"])
                try bus.run(["env", "set", "isOpen=true"]).expectSuccess()
                for (line, expected) in Self.lines {
                    let typed = line.replacingOccurrences(of: "BUS", with: bus.endpoint)
                    let ending = try Self.complete(typed, in: shell, folder, expected, bus)
                    #expect(ending.exitCode == 0, "\(line): \(ending.output.text)")
                }
                withExtendedLifetime((shop, photo, window)) {}
            }
        }

        @Test(arguments: [
            ["tree", "--", "positional@0", "2", "1", "cascadectl", "tree", "/"],
            ["trigger", "--", "positional@0", "2", "0", "cascadectl", "trigger", ""],
            ["trigger", "--", "--nonsense", "2", "0", "cascadectl", "trigger", ""],
        ])
        func `without a bus a completion is empty and prints no error`(words: [String]) throws {
            let ending = try SpawnedProgram(
                "cascadectl", ["---completion"] + words, bus: "ipc:///none/bus.sock"
            ).end()
            // Shells ignore the status, but not a signal.
            #expect(ending.exitCode != nil)
            #expect(ending.output.text.allSatisfy { $0.isWhitespace })
            #expect(ending.diagnostics.bytes.isEmpty)
        }

        @Test func `a completion does not wait for a bus that does not answer`() throws {
            try FaultBus.open { bus in
                bus.daemon.stop()
                let words = ["tree", "--", "positional@0", "2", "1", "cascadectl", "tree", "/"]
                let ending = try bus.run(["---completion"] + words)
                #expect(ending.exitCode == 0 && ending.diagnostics.bytes.isEmpty)
                #expect(ending.output.text.allSatisfy { $0.isWhitespace })
                bus.daemon.signal(SIGCONT)
            }
        }

        // The script for bash has two parts; the part from the generator must be as expected.
        @Test func `the script for bash registers a function for whole words`() throws {
            let script = try SpawnedProgram(
                "cascadectl", ["completion", "bash"], bus: "ipc:///none"
            ).end().output.text
            let registrations = script.split(separator: "\n").filter { $0.hasPrefix("complete ") }
            #expect(registrations == ["complete -F _cascadectl_whole cascadectl"])
        }

        /// The scripts for all shells, named as each shell expects.
        private static func scripts() throws -> String {
            let folder = try FaultBus.makeDirectory()
            for (shell, name) in [
                ("bash", "cascadectl"), ("fish", "cascadectl.fish"), ("zsh", "_cascadectl"),
            ] {
                let script = try SpawnedProgram(
                    "cascadectl", ["completion", shell], bus: "ipc:///none"
                ).end()
                try script.output.text.write(
                    toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
            }
            return folder
        }

        private static func complete(
            _ line: String, in shell: String, _ folder: String, _ expected: [String],
            _ bus: FaultBus
        ) throws -> SpawnedProgram.Ending {
            let driver = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Python/complete_in_shell.py").path
            let programs = try SpawnedProgram.directory().path
            let command = #"PATH="$1:$PATH"; shift; exec /usr/bin/python3 "$@""#
            return try SpawnedProgram(
                "/bin/sh",
                ["-c", command, "sh", programs, driver, shell, folder, line] + expected,
                bus: bus.endpoint
            ).end()
        }
    }
}

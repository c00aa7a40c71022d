// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Documented {
    /// The commands of README and *Getting started*, run in the order in which a reader meets them: on a
    /// login with a runtime directory and without one, as in a container, by the tests' user and by
    /// another.
    @FaultThread
    @Suite(
        .serialized,
        .enabled(if: access("/run/cascade/bus.sock", F_OK) != 0, "requires no system bus"))
    struct FirstMinutesTests {
        enum Account: String, CaseIterable {
            case own, other

            static let all: [Account] = OtherUser.isPossible ? allCases : [.own]
        }

        @Test(arguments: Account.all, [true, false])
        func `every command of README works`(account: Account, hasRuntimeDirectory: Bool) throws {
            let ending = try run("README.md", as: account, hasRuntimeDirectory)
            #expect(ending.exitCode == 0, "\(ending.output.text)\(ending.diagnostics.text)")
            // The kitchen has handled the dish of the example, and the grill the guests.
            #expect(ending.output.text.contains("pie for table 2"))
            #expect(ending.output.text.contains("the last order: {\"table\":7}"))
        }

        @Test(arguments: Account.all, [true, false])
        func `every command of Getting started works`(
            account: Account, hasRuntimeDirectory: Bool
        ) throws {
            let ending = try run(
                "Sources/Cascade/Cascade.docc/GettingStarted.md", as: account, hasRuntimeDirectory)
            #expect(ending.exitCode == 0, "\(ending.output.text)\(ending.diagnostics.text)")
            #expect(ending.output.text.contains("\"visitor\""))
        }

        // MARK: - Running

        private func run(
            _ document: String, as account: Account, _ hasRuntimeDirectory: Bool
        ) throws -> SpawnedProgram.Ending {
            let folder = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(folder) }
            chmod(folder, 0o711)
            for name in ["user", "run", "tmp", "desk"] {
                mkdir("\(folder)/\(name)", name == "tmp" ? 0o1777 : 0o700)
                if account == .other {
                    chown("\(folder)/\(name)", OtherUser.userID, OtherUser.userID)
                }
            }
            symlink(Self.root.appending(path: "Sources").path, "\(folder)/desk/Sources")
            var words = [
                "-i", "-C", "\(folder)/desk", "HOME=\(folder)/user", "TMPDIR=\(folder)/tmp",
                "PATH=\(try SpawnedProgram.directory().path):/usr/bin:/bin",
            ]
            if hasRuntimeDirectory {
                words.append("XDG_RUNTIME_DIR=\(folder)/run")
            }
            // A group of their own, so that the script ends all that it has started.
            words += ["/usr/bin/setsid", "--wait"]
            if account == .other {
                words += OtherUser.words
            }
            let script = try Self.script(of: document)
            return try SpawnedProgram("/usr/bin/env", words + ["/bin/sh", "-c", script], bus: "")
                .end()
        }

        /// This file is Tests/IntegrationTests/Documented/…: the root is four up.
        private static var root: URL {
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
        }

        /// The commands of a document: its lines that are indented by four spaces, outside of code
        /// blocks with a language.
        private static func commands(of document: String) throws -> [String] {
            let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
            var isFenced = false
            return text.split(separator: "\n").filter { line in
                if line.hasPrefix("```") {
                    isFenced.toggle()
                }
                return !isFenced && line.hasPrefix("    ")
            }.map { $0.trimmingCharacters(in: .whitespaces) }
        }

        /// A shell script that runs the commands and prints each of them. Those that go on run in the
        /// background, and end with the script.
        private static func script(of document: String) throws -> String {
            let commands = try commands(of: document).filter { command in
                // These build or test the repository.
                !["#", "deploy/", "swift ", "export PATH="].contains { command.hasPrefix($0) }
            }
            try #require(commands.count >= 3)
            let lines = commands.map { command in
                "echo '+ \(command.replacing("'", with: "'\\''"))'\n" + step(command)
            }
            return """
                set -eu
                trap 'trap "" TERM; kill 0; wait' EXIT
                until_attached() {
                    until cascadectl wait "$1" --timeout 20s >&2; do :; done
                }
                \(lines.joined(separator: "\n"))
                if [ -e orders.log ]; then echo "the last order: $(cat orders.log)"; fi

                """
        }

        /// The lines of the script for one command.
        private static func step(_ command: String) -> String {
            let words = command.split(separator: " ")
            if command.hasPrefix("cascaded --user & kitchen &") {
                return "\(command)\nuntil_attached /kitchen/oven"
            }
            if command.hasPrefix("cascaded --user") {
                return "\(command) &\nuntil cascadectl ping --count 1 >&2; do :; done"
            }
            if command.hasPrefix("cascaded --listen") {
                return command.replacing("/tmp/", with: "$TMPDIR/")
            }
            if command.hasPrefix("export CASCADE_BUS=") {
                // The greeter of the article, as a shell command.
                return command.replacing("/tmp/", with: "$TMPDIR/")
                    + "\nuntil cascadectl ping --count 1 >&2; do :; done"
                    + "\ncascadectl attach /greeter --handle VisitorCame &\nuntil_attached /greeter"
            }
            if command.hasPrefix("cascadectl attach ") {
                // The grill is activated last, so it gets the publication that follows.
                return "\(command)\nuntil_attached \(words[2])\n"
                    + "cascadectl publish GuestsArrived '{\"table\":7}'"
            }
            if command.hasPrefix("cascadectl monitor") {
                return command.replacing("monitor", with: "monitor >/dev/null & :")
            }
            if command.hasPrefix("cascadectl trace ID") {
                return """
                    id=$(cascadectl trigger DishReady '{"dish":"stew","table":1}' --from /kitchen \\
                        --json | sed -n 's/.*"id":"\\([^"]*\\)".*/\\1/p')
                    \(command.replacing("ID", with: "\"$id\""))
                    """
            }
            return command
        }
    }
}

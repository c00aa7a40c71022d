// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    /// The command of `attach`: how it is found, refused and ended.
    @FaultThread
    @Suite struct CommandLineCommandTests {
        @Test func `a command with a slash is a path relative to the working directory`() throws {
            try FaultBus.open { bus in
                let script = try Self.script("grill.sh", "#!/bin/sh\ncat >&2\necho >&2\n", in: bus)
                let absolute = try bus.attach("/a", ["--handle", "X", "--", script])
                let relative = try Self.attach(in: bus, "/b", "--handle X -- ./grill.sh")
                let below = try Self.attach(in: bus, "/c", "--handle X -- .//grill.sh")
                for (path, node) in [("/a", absolute), ("/b", relative), ("/c", below)] {
                    try bus.run(["trigger", "X", #""for \#(path)""#, "--from", path])
                        .expectSuccess()
                    #expect(try node.diagnostics.line(containing: "for \(path)") != nil)
                }
            }
        }

        @Test func `a script without an interpreter line is run by the shell`() throws {
            try FaultBus.open { bus in
                let script = try Self.script("plain", "echo \"$0 $1\" >&2\n", in: bus)
                let node = try bus.attach("/a", ["--handle", "X", "--", script, "one two"])
                try bus.run(["trigger", "X", "--from", "/a"]).expectSuccess()
                #expect(try node.diagnostics.line(containing: "\(script) one two") != nil)
                try bus.run(["env", "set", "k=1", "--at", "/a"]).expectSuccess()
                try bus.run(["env", "exec", "/a", "--", script]).expectSuccess()
            }
        }

        @Test func `the commands in the documentation's examples run`() throws {
            try FaultBus.open { bus in
                for (line, name, lane) in [
                    ("/kitchen/grill --handle Steak -- ./grill.sh", "Steak", "trigger"),
                    (
                        "/shop --handle-error cascade.NodeLost -- ./ring-the-bell.sh",
                        "cascade.NodeLost", ""
                    ),
                    ("/lamp --subscribe Night -- ./switch-on.sh", "Night", "publish"),
                    (
                        "/shop/checkout --handle OrderPlaced -- \(bus.directory)/place",
                        "OrderPlaced", "trigger"
                    ),
                ] {
                    #expect(try Self.isDocumented(line, bus.directory), "\(line)")
                    let words = line.components(separatedBy: " ")
                    let command = (words.last ?? "").components(separatedBy: "/").last ?? ""
                    _ = try Self.script(
                        command, "#!/bin/sh\necho ran $CASCADE_NAME >&2\n", in: bus)
                    let node = try Self.attach(
                        in: bus, words[0], words.dropFirst().joined(separator: " "))
                    switch lane {
                    case "trigger":
                        try bus.run(["trigger", name, "--from", words[0]]).expectSuccess()
                    case "publish":
                        try bus.run(["publish", name]).expectSuccess()
                    default:
                        try bus.attach("/shop/till", ["--handle", "X"]).kill()
                    }
                    #expect(try node.diagnostics.line(containing: "ran \(name)") != nil)
                }
            }
        }

        @Test(arguments: ["--handle X", "--transform X=Y", "--catch Wrong=Y", "--receive X"])
        func `exit code 1 fails a responder that cannot decline, with the last line of the errors`(
            option: String
        ) throws {
            try FaultBus.open { bus in
                let command = ["--", "sh", "-c", "echo first >&2; echo no paper >&2; exit 1"]
                let words = option.split(separator: " ").map(String.init)
                let node = try bus.attach("/a", words + command)
                let lane = option.contains("Wrong") ? ["report", "Wrong"] : ["trigger", "X"]
                let ending = try bus.run(lane + ["--from", "/a", "--json"])
                guard option != "--receive X" else {
                    #expect(ending.exitCode == 3)
                    return
                }
                #expect(ending.exitCode == 10)
                let error = try ending.document()["error"]
                #expect(error["name"].string == "commandFailed")
                let kind = words[0].dropFirst(2)
                #expect(
                    error["message"].string
                        == "the command exited with 1 (not handled), which '\(kind)' cannot answer"
                        + ": no paper")
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a command that cannot be run is refused before the node attaches`() throws {
            try FaultBus.open { bus in
                let plain = try Self.script("plain", "text", in: bus, mode: 0o644)
                let orphan = try Self.script("orphan", "#!/no/such/interpreter -x\n", in: bus)
                let folded = try Self.script("folded", "#!\(bus.directory)\n", in: bus)
                for (command, exitCode, words) in [
                    (bus.directory + "/absent", 127, "there is no such file"),
                    ("./absent", 127, "there is no such file"),
                    ("no-such-command", 127, "not in any directory of PATH"),
                    (plain + "/below", 127, "there is no such file"),
                    (plain, 126, "not executable"),
                    (bus.directory, 126, "it is a directory"),
                    (orphan, 126, "'/no/such/interpreter': there is no such file"),
                    (folded, 126, "it is a directory"),
                    (bus.socketPath, 126, "it is not a regular file"),
                ] as [(String, Int32, String)] {
                    let ending = try bus.run(["attach", "/a", "--handle", "X", "--", command])
                    #expect(ending.exitCode == exitCode, "\(command)")
                    #expect(ending.output.bytes.isEmpty)
                    let said = ending.diagnostics.text
                    #expect(said.contains("cannot run '\(command)': "), "\(said)")
                    #expect(said.contains(words), "\(said)")
                }
                #expect(try bus.run(["tree", "/a"]).exitCode == 4)
            }
        }

        @Test func `a command is ended with its children when the deadline passes`() throws {
            try FaultBus.open { bus in
                // The child holds the outputs open and ignores SIGTERM.
                let script = """
                    read -r how; case $how in *quick*) exit 0;; esac
                    (trap '' TERM; sleep 600) & echo "child $!" >&2; trap 'echo asked >&2' TERM
                    while :; do sleep 0.1; done
                    """
                let node = try bus.attach("/a", ["--handle", "X", "--", "sh", "-c", script])
                let ending = try bus.run(
                    ["trigger", "X", "--from", "/a", "--deadline", "300ms", "--json"])
                #expect(ending.exitCode == 75)
                let trail = try ending.document()["trail"]
                #expect(trail[0]["verdict"].string == "timedOut")
                let line = try #require(try node.output.line(containing: "\"cancel\""))
                #expect(line.contains("timedOut"))
                let words = try #require(try node.diagnostics.line(containing: "child"))
                let child = try #require(pid_t(words.dropFirst("child ".count)))
                #expect(node.diagnostics.text.contains("asked"))
                try Patience.until("the child is gone") { kill(child, 0) != 0 }
                // The node accepts the next event.
                try bus.run(["trigger", "X", #""quick""#, "--from", "/a"]).expectSuccess()
            }
        }

        @Test func `a command is ended with its children when the requester exits`() throws {
            try FaultBus.open { bus in
                let file = bus.directory + "/child"
                let script = "sleep 600 & echo $! >\(file).new; mv \(file).new \(file); wait"
                let node = try bus.attach("/a", ["--respond", "X", "--", "sh", "-c", script])
                let request = try bus.start(["request", "X", "--from", "/a"])
                try Patience.until("the command runs") { access(file, F_OK) == 0 }
                let text = try String(contentsOfFile: file, encoding: .utf8)
                let child = try #require(pid_t(text.dropLast()))
                request.kill()
                #expect(try node.output.line(containing: "\"cancel\"") != nil)
                try Patience.until("the child is gone") { kill(child, 0) != 0 }
            }
        }

        @Test func `a command is ended with its children when its worker is killed`() throws {
            try FaultBus.open { bus in
                let file = bus.directory + "/child"
                // Its input ends once the worker has entered the command in its guard.
                let script = """
                    cat >/dev/null
                    (trap '' TERM; while :; do sleep 0.1; done) & echo "$$ $!" >\(file).new
                    mv \(file).new \(file); wait
                    """
                let node = try bus.attach("/a", ["--handle", "X", "--", "sh", "-c", script])
                let trigger = try bus.start(["trigger", "X", "--from", "/a"])
                try Patience.until("the command runs") { access(file, F_OK) == 0 }
                let words = try String(contentsOfFile: file, encoding: .utf8)
                    .split { $0 == " " || $0 == "\n" }
                let processes = try words.map { try #require(pid_t($0)) }
                #expect(processes.count == 2)
                node.kill()
                #expect(try node.end().exitCode == nil)
                for process in processes {
                    try Patience.until("\(process) is gone") { kill(process, 0) != 0 }
                }
                _ = try trigger.end()
            }
        }

        @Test func `the guard process of a worker exits with the worker`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "X", "--", "true"])
                // Any of the worker's threads may have started it.
                let tasks = "/proc/\(node.processID)/task"
                let children = try FileManager.default.contentsOfDirectory(atPath: tasks).map {
                    try String(contentsOfFile: "\(tasks)/\($0)/children", encoding: .utf8)
                }
                let found = children.joined(separator: " ").split(separator: " ")
                let guardID = try #require(pid_t(found.first ?? ""))
                try bus.run(["trigger", "X", "--from", "/a"]).expectSuccess()
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
                try Patience.until("the guard is gone") { kill(guardID, 0) != 0 }
            }
        }

        // MARK: - Scripts

        /// Writes a program into the bus's directory; returns its path.
        private static func script(
            _ name: String, _ text: String, in bus: FaultBus, mode: mode_t = 0o755
        ) throws -> String {
            let path = bus.directory + "/" + name
            try Data(text.utf8).write(to: URL(filePath: path))
            chmod(path, mode)
            return path
        }

        /// Attaches a node by a line of shell, with the bus's directory as the working directory.
        private static func attach(
            in bus: FaultBus, _ path: String, _ line: String
        ) throws -> SpawnedProgram {
            let program = try SpawnedProgram.path(of: "cascadectl")
            let node = try SpawnedProgram(
                "/bin/sh",
                [
                    "-c", "cd \"$1\" && exec \"$2\" attach \(path) \(line)", "sh",
                    bus.directory, program,
                ],
                bus: bus.endpoint)
            try #require(
                try node.output.line(containing: "\"attached\"") != nil,
                "\(node.diagnostics.text)")
            return node
        }

        private static func isDocumented(_ line: String, _ directory: String) throws -> Bool {
            let documented = line.replacingOccurrences(of: directory, with: "/usr/lib/shop")
            // This file is Tests/IntegrationTests/CommandLine/…: the root is four up.
            let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
                url.deletingLastPathComponent()
            }
            return try [
                "Sources/CascadeWire/CascadeWire.docc/OtherLanguages.md",
                "Sources/CascadeDaemon/CascadeDaemon.docc/Administration.md",
                "Sources/CascadeDaemon/CascadeDaemon.docc/RunningUnderSystemd.md",
                "deploy/manual/cascadectl.1.md",
            ].contains { file in
                try String(contentsOf: root.appending(path: file), encoding: .utf8)
                    .contains("cascadectl attach \(documented)")
            }
        }
    }
}

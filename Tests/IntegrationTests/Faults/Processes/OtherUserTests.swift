// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite(.enabled(if: OtherUser.isPossible, "requires root to act as two users"))
    struct OtherUserTests {
        @Test func `a vacant path is refused to another user, even with --takeover`() throws {
            try FaultBus.open { bus in
                OtherUser.admit(to: bus)
                let child = try bus.attach("/kitchen/oven", ["--observe", "Order"])
                let owner = try bus.attach("/kitchen", ["--handle", "Order"])
                owner.kill()
                try bus.wait("/kitchen", "vacant")
                let before = try bus.tree()
                for options in [[], ["--takeover"]] {
                    let claimant = try OtherUser.start(
                        ["attach", "/kitchen", "--handle", "Order"] + options, on: bus)
                    let ending = try claimant.end()
                    #expect(ending.exitCode == 77, "\(ending.diagnostics.text)")
                    #expect(ending.diagnostics.text.contains("kept for user \(getuid())"))
                }
                #expect(try bus.tree() == before)
                let again = try bus.attach("/kitchen", ["--handle", "Order"])
                let outcome = try bus.trigger("Order", ["--from", "/kitchen/oven"])
                #expect(try again.output.line(containing: outcome.id) != nil)
                child.signal(SIGTERM)
                #expect(try child.end().exitCode == 0)
            }
        }

        @Test func `the node / shows the user and the group of a daemon of another user`() throws {
            let program = try DaemonProgram()
            defer { program.remove() }
            chown(program.directory, OtherUser.userID, OtherUser.userID)
            let endpoint = "ipc://\(program.directory)/bus.sock"
            let path = try SpawnedProgram.path(of: "cascaded")
            let daemon = try SpawnedProgram(
                OtherUser.words[0],
                OtherUser.words.dropFirst() + [path, "--listen", endpoint], bus: "")
            try #require(
                try daemon.diagnostics.line(containing: "serving") != nil,
                "\(daemon.diagnostics.text)")
            let status = try SpawnedProgram("cascadectl", ["status", "/", "--json"], bus: endpoint)
                .end()
            let root = try status.document()["node"]
            #expect(root["path"].string == "/")
            #expect(root["pid"].integer == Int(daemon.processID))
            #expect(root["uid"].integer == Int(OtherUser.userID))
            #expect(root["gid"].integer == Int(OtherUser.userID))
            let user = try #require(getpwuid(OtherUser.userID)).pointee
            let tree = try SpawnedProgram("cascadectl", ["tree"], bus: endpoint).end().output.text
            let line = try #require(tree.split(separator: "\n").first { $0.contains("● /") })
            #expect(line.split(separator: " ").contains { $0 == String(cString: user.pw_name) })
            daemon.signal(SIGTERM)
            #expect(try daemon.end().exitCode == 0)
        }
    }
}

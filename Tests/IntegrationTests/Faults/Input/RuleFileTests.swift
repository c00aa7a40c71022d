// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct RuleFileTests {
        @Test func `rules are read at the start and on SIGHUP, and a faulty file changes nothing`()
            throws
        {
            let folder = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(folder) }
            let file = folder + "/a.rules"
            try write("details <= \"full\"", file)
            try write("details <= 1 ; fallback", folder + "/b.rules")
            try write("this is no rule", folder + "/c.txt")
            try FaultBus.open(["--rules", folder]) { bus in
                #expect(bus.daemon.diagnostics.text.contains("rules loaded: 2 (files: 2)"))
                try write("size <= 2 # better\n\ndetails = 1", file)
                bus.daemon.signal(SIGHUP)
                let line = try bus.daemon.diagnostics.line(containing: "stay")
                #expect(line?.contains("\(file):3:9:") == true, "\(line ?? "nothing")")
                #expect(try bus.run(["env", "get", "details"]).output.text == "\"full\"\n")
                #expect(try bus.run(["env", "get", "size"]).exitCode == 4)
                try write("size <= 2", file)
                bus.daemon.signal(SIGHUP)
                #expect(try bus.daemon.diagnostics.line(containing: "rules loaded: 2") != nil)
                #expect(try bus.run(["env", "get", "details"]).output.text == "1\n")
                #expect(try bus.run(["env", "get", "size"]).output.text == "2\n")
            }
        }

        @Test func `a daemon that gets a SIGHUP while it starts serves, and then reloads`() throws {
            let folder = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(folder) }
            let (file, socket) = (folder + "/a.rules", folder + "/bus.sock")
            // So many rules take a while after the endpoint is bound.
            try write((0..<20_000).map { "key\($0) <= 1" }.joined(separator: "\n"), file)
            let daemon = try SpawnedProgram(
                "cascaded", ["--listen", "ipc://\(socket)", "--rules", file], bus: "")
            try Patience.until("the endpoint is bound") { access(socket, F_OK) == 0 }
            daemon.signal(SIGHUP)
            #expect(try daemon.diagnostics.line(containing: "serving") != nil)
            #expect(try daemon.diagnostics.line(containing: "reloaded") != nil)
            daemon.signal(SIGTERM)
            #expect(try daemon.end().exitCode == 0)
        }

        @Test func `a daemon with unreadable rules reports them and serves without them`() throws {
            try FaultBus.open(["--rules", "/dev/null", "--rules", "/nowhere/at.rules"]) { bus in
                let text = bus.daemon.diagnostics.text
                #expect(text.contains("the rules in '/nowhere/at.rules' cannot be read"))
            }
        }

        @Test func `a rule file that all users may write is refused, and the rules stay`() throws {
            let folder = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(folder) }
            let file = folder + "/a.rules"
            try write("details <= 1", file)
            try FaultBus.open(["--rules", folder]) { bus in
                for (path, mode) in [(file, mode_t(0o646)), (folder, mode_t(0o777))] {
                    #expect(chmod(path, mode) == 0)
                    bus.daemon.signal(SIGHUP)
                    let words = "the rules in '\(path)' cannot be read: all users may write it"
                    #expect(try bus.daemon.diagnostics.line(containing: words) != nil)
                    #expect(chmod(path, path == file ? 0o644 : 0o755) == 0)
                }
                let rules = try bus.run(["rules"])
                #expect(rules.output.text.contains("details <= 1"))
            }
        }

        private func write(_ text: String, _ path: String) throws {
            try Data((text + "\n").utf8).write(to: URL(filePath: path))
        }
    }
}

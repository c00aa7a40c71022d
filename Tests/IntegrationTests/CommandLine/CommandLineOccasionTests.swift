// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    /// The events that a node of `attach` triggers by itself.
    @FaultThread
    @Suite struct CommandLineOccasionTests {
        @Test func `A node triggers an event periodically`() throws {
            try FaultBus.open { bus in
                let top = try bus.attach("/clock", ["--handle", "Tick"])
                let node = try bus.attach("/clock/hand", ["--every", "20ms=Tick"])
                for _ in 1...2 {
                    #expect(try top.output.line(containing: #""name":"Tick""#) != nil)
                }
                let outcome = try #require(try node.output.line(containing: #""outcome""#))
                #expect(outcome.contains(#""by":"/clock""#))
            }
        }

        @Test func `A node triggers an event for a signal`() throws {
            try FaultBus.open { bus in
                let top = try bus.attach("/shop", ["--handle", "Reload"])
                let node = try bus.attach("/shop/till", ["--on-signal", "sighup=Reload"])
                node.signal(SIGHUP)
                let visit = try #require(try top.output.line(containing: #""name":"Reload""#))
                #expect(visit.contains(#""payload":{"signal":"HUP"}"#))
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
            }
        }

        @Test func `A node triggers an event for a changed file`() throws {
            try FaultBus.open { bus in
                let top = try bus.attach("/shop", ["--handle", "Changed"])
                let file = bus.directory + "/menu"
                let node = try bus.attach("/shop/till", ["--on-change", "\(file)=Changed"])
                try "soup".write(
                    toFile: bus.directory + "/other", atomically: true, encoding: .utf8)
                try "soup".write(toFile: file, atomically: false, encoding: .utf8)
                let visit = try #require(try top.output.line(containing: #""name":"Changed""#))
                let document = try JSONText(visit)
                #expect(document["payload"]["file"].string == file)
                withExtendedLifetime(node) {}
            }
        }

        @Test func `A node triggers an event for each line, and leaves at the end`() throws {
            try FaultBus.open { bus in
                let top = try bus.attach("/shop", ["--handle", "Line"])
                let node = try bus.attach("/shop/till", ["--on-line", "Line"])
                node.write(line: "one \"two\"")
                let visit = try #require(try top.output.line(containing: #""name":"Line""#))
                #expect(try JSONText(visit)["payload"].string == "one \"two\"")
                node.closeInput()
                #expect(try node.end().exitCode == 0)
            }
        }

        @Test(arguments: [
            (["--every", "Tick"], "'Tick'"), (["--every", "5=Tick"], "'5' has no unit"),
            (["--every", "0s=Tick"], "0s"), (["--every", "5s=a b"], "'a b'"),
            (["--on-signal", "KILL=X"], "KILL"), (["--on-signal", "TERM=X"], "TERM"),
            (["--on-change", "=X"], "'=X'"), (["--on-line", "a b"], "'a b'"),
            (["--on-line", "X", "--stdio"], "--stdio"),
        ])
        func `A wrong occasion is a usage error that names it`(
            options: [String], words: String
        ) throws {
            let ending = try SpawnedProgram(
                "cascadectl", ["attach", "/a"] + options, bus: "ipc:///none"
            ).end()
            #expect(ending.exitCode == 64, "\(ending.diagnostics.text)")
            #expect(
                ending.diagnostics.text.split(separator: "\n").first?.contains(words) == true,
                "\(ending.diagnostics.text)")
        }

        @Test func `A file in a directory that does not exist is refused before the node attaches`()
            throws
        {
            let ending = try SpawnedProgram(
                "cascadectl", ["attach", "/a", "--on-change", "/none/file=X"], bus: "ipc:///none"
            ).end()
            #expect(ending.exitCode == 1)
            #expect(ending.diagnostics.text.contains("cannot watch /none/file"))
        }
    }
}

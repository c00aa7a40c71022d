// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension CommandLineContract {
    /// The text on a terminal, which fits its size.
    @FaultThread
    @Suite struct CommandLineTerminalTests {
        private nonisolated static let longPath =
            "/a-node-with-a-rather-long-name/and-a-child-with-a-long-name"

        /// Runs `cascadectl` in a terminal. Types the keys when the words are shown.
        private static func run(
            _ bus: FaultBus, _ arguments: [String], rows: Int = 24, columns: Int = 80,
            typing keys: String = "", at words: String = ""
        ) throws -> SpawnedProgram.Ending {
            let driver = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Python/in_terminal.py").path
            return try SpawnedProgram(
                "/usr/bin/python3",
                [
                    driver, "\(rows)", "\(columns)", words, keys,
                    try SpawnedProgram.path(of: "cascadectl"),
                ] + arguments, bus: bus.endpoint
            ).end()
        }

        /// The lines of a text without escape sequences.
        private static func lines(_ text: String) -> [Substring] {
            text.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "").replacing("\r\n", with: "\n")
                .split(separator: "\n")
        }

        @Test func `Tables fit the width of the terminal`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    Self.longPath,
                    ["--handle", "AnEventWithALongName", "--handle", "AnotherEventWithALongName"]
                        + ["--subscribe", "APublicationWithALongName", "--env", "k=1"])
                try bus.run(["env", "set", "key=\"\(String(repeating: "v", count: 90))\""])
                    .expectSuccess()
                _ = try bus.run(["trigger", "AnEventWithNoHandler"])
                for arguments in [
                    ["tree"], ["list"], ["env"], ["env", "explain", "key", "--at", "/witness"],
                    ["status"], ["status", "/witness"], ["status", "--all"], ["undelivered"],
                    ["doctor"], ["policy"],
                    ["route", "AnEventWithALongName", "--from", Self.longPath],
                    ["subscribers", "APublicationWithALongName"],
                ] {
                    let ending = try Self.run(bus, arguments)
                    let lines = Self.lines(ending.output.text)
                    #expect(!lines.isEmpty, "\(arguments)")
                    for line in lines {
                        #expect(line.count <= 80, "\(arguments): \(line)")
                    }
                }
                let piped = try bus.run(["tree"]).output.text
                #expect(piped.contains("handle AnotherEventWithALongName"))
                withExtendedLifetime(node) {}
            }
        }

        @Test func `An ID is never shortened, and a sentence continues on the next line`() throws {
            try FaultBus.open { bus in
                let outcome = try bus.trigger("Unheard")
                let list = try Self.run(bus, ["undelivered"]).output.text
                #expect(list.contains(outcome.id))
                let explained = try Self.run(bus, ["doctor"], columns: 60).output.text
                #expect(Self.lines(explained).allSatisfy { $0.count <= 60 })
                #expect(!explained.contains("…"))
            }
        }

        @Test func `The lines of monitor fit the terminal, and those of a pipe are whole`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach(Self.longPath, ["--handle", "AnEventWithALongName"])
                let outcome = try bus.trigger("AnEventWithALongName", ["--from", Self.longPath])
                _ = try bus.trigger("Unheard", ["--from", Self.longPath])
                let arguments = ["monitor", "--since", "1m"]
                let ending = try Self.run(
                    bus, arguments, typing: "\u{3}", at: "  unhandled")
                #expect(ending.exitCode == 130, "\(ending.output.text)")
                let lines = Self.lines(ending.output.text)
                let handled = lines.filter { $0.contains("  handled  by=/a") }
                #expect(handled.count == 1, "\(lines)")
                // Both ends of the path and of the ID are left.
                let id = "  \(outcome.id.prefix(2))…\(outcome.id.suffix(3))  "
                #expect(handled.allSatisfy { $0.contains(id) }, "\(handled)")
                #expect(handled.allSatisfy { $0.contains("/a-") }, "\(handled)")
                for line in lines {
                    #expect(line.count <= 80, "\(line)")
                }
                let piped = try bus.start(arguments)
                let whole = try #require(try piped.output.line(containing: "outcome=handled"))
                #expect(whole.contains("  \(Self.longPath)  AnEventWithALongName  \(outcome.id)  "))
                #expect(!whole.contains("…"))
                withExtendedLifetime((node, piped)) {}
            }
        }

        @Test func `top keeps its header in a small terminal, and q ends it`() throws {
            try FaultBus.open { bus in
                let nodes = try (1...6).map { try bus.attach("/n\($0)", ["--handle", "X"]) }
                let ending = try Self.run(
                    bus, ["top"], rows: 6, columns: 60, typing: "q", at: "more lines")
                #expect(ending.exitCode == 0, "\(ending.output.text)")
                let screens = ending.output.text.components(separatedBy: "\u{1B}[H")
                let screen = Self.lines(try #require(screens.last))
                #expect(screen.count == 5)
                #expect(screen.first?.contains("VISITS/S") == true)
                #expect(screen.last?.contains("4 more lines do not fit the terminal") == true)
                #expect(screen.allSatisfy { $0.count <= 60 })
                withExtendedLifetime(nodes) {}
            }
        }

        @Test func `An interrupted watch restores the terminal's modes`() throws {
            try FaultBus.open { bus in
                let ending = try Self.run(
                    bus, ["tree", "--watch"], typing: "\u{3}", at: "/witness")
                #expect(ending.exitCode == 130, "\(ending.output.text)")
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension CommandLineContract {
    /// Outputs of release 0.1.0 for a dump that it recorded.
    @FaultThread
    @Suite struct CommandLineRecordedTests {
        /// The folder of the recorded outputs.
        private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "CascadeInspectionTests/Recorded")

        @Test func `the answers from a recorded dump are those of release 0.1.0, byte for byte`()
            throws
        {
            let commands = try Self.text("commands.txt").split(separator: "\n").map {
                $0.split(separator: " ").map(String.init)
            }
            #expect(commands.count > 15)
            for words in commands {
                let command = words.dropFirst(2) + ["--json", "--dump", Self.path("dump.json")]
                let ending = try SpawnedProgram(
                    "cascadectl", Array(command), bus: "ipc:///none"
                ).end()
                // A command that found nothing has no recorded output.
                let recorded = words[1] == "4" ? "" : try Self.text(words[0] + ".json")
                #expect(ending.output.text == recorded, "\(words)")
                #expect(ending.exitCode.map { String($0) } == words[1], "\(words)")
            }
        }

        @Test func `a member of a dump that is of another form is named`() throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let file = directory + "/dump.json"
            let text = try Self.text("dump.json").replacing(
                "\"state\":\"inactive\"", with: "\"state\":\"asleep\"")
            try Data(text.utf8).write(to: URL(filePath: file))
            let ending = try SpawnedProgram(
                "cascadectl", ["tree", "--dump", file], bus: "ipc:///none"
            ).end()
            #expect(ending.exitCode == 65 && ending.output.bytes.isEmpty)
            let sentence = ending.diagnostics.text
            #expect(sentence.contains("member 'tree' of the dump"))
            #expect(sentence.contains(".state': expected a state of a node, found 'asleep'"))
        }

        private static func path(_ name: String) -> String {
            folder.appending(path: name).path
        }

        private static func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(filePath: path(name))), as: UTF8.self)
        }
    }
}

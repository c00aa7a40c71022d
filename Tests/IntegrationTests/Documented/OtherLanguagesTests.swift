// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Documented {
    /// The worker in Python of the article OtherLanguages, word for word.
    @FaultThread
    @Suite struct OtherLanguagesTests {
        @Test func `the article's worker handles, fails, answers, reads values and leaves`() throws
        {
            try FaultBus.open { bus in
                let kitchen = try bus.attach("/kitchen", ["--handle", "DishReady"])
                let oven = try Self.start(on: bus)
                #expect(try oven.output.line(containing: "in the tree at /kitchen/oven") != nil)

                try Self.bake("bread", on: bus).expectSuccess()
                let bread = try #require(try kitchen.output.line(containing: "bread"))
                #expect(bread.contains(#""payload":{"dish":"bread","degrees":180}"#))
                #expect(bread.contains(#""origin":"/kitchen/oven""#))
                #expect(try oven.output.line(containing: "bread was handled by /kitchen") != nil)

                let soup = try Self.bake("soup", on: bus)
                #expect(soup.exitCode == 10)
                let error = try soup.document()["error"]
                #expect(error["name"].string == "WrongPot")
                #expect(error["message"].string == "soup is for the stove")

                try bus.run(["env", "set", "degrees=220", "--at", "/kitchen"]).expectSuccess()
                try Self.bake("pie", on: bus).expectSuccess()
                let pie = try #require(try kitchen.output.line(containing: "pie"))
                #expect(pie.contains(#"{"dish":"pie","degrees":220}"#))

                let time = try bus.run(["request", "TimeLeft", "--from", "/kitchen/oven"])
                #expect(try time.document()["baked"].integer == 2)

                try bus.run(["publish", "CloseDown"]).expectSuccess()
                let ending = try oven.end()
                #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
                #expect(!ending.output.text.contains("not understood"))
                #expect(try bus.run(["tree", "/kitchen/oven"]).exitCode == 4)
            }
        }

        private static func bake(_ dish: String, on bus: FaultBus) throws -> SpawnedProgram.Ending {
            try bus.run(["trigger", "Bake", "\"\(dish)\"", "--from", "/kitchen/oven", "--json"])
        }

        /// Starts the program in the article's Python block.
        private static func start(on bus: FaultBus) throws -> SpawnedProgram {
            // This file is Tests/IntegrationTests/Documented/…: the root is four up.
            let root = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let article = try String(
                contentsOf: root.appending(
                    path: "Sources/CascadeWire/CascadeWire.docc/OtherLanguages.md"), encoding: .utf8
            )
            let block = try #require(
                article.components(separatedBy: "```python\n").dropFirst().first)
            let program = try #require(block.components(separatedBy: "```").first)
            let programs = try SpawnedProgram.directory().path
            return try SpawnedProgram(
                "/bin/sh",
                ["-c", #"PATH="$1:$PATH" exec /usr/bin/python3 -c "$2""#, "sh", programs, program],
                bus: bus.endpoint)
        }
    }
}

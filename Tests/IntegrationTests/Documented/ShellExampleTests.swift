// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Documented {
    /// The shell examples in the table of the article FromSwiftUIToProcesses, word for word: each is
    /// run by a shell.
    @FaultThread
    @Suite(.serialized) struct ShellExampleTests {
        @Test(arguments: ShellExample.all)
        func `an example of the article has its documented effect`(example: ShellExample) throws {
            try FaultBus.open(["--grace", "100ms"]) { bus in
                try example.check(ShellBus(bus: bus, command: example.command))
            }
        }

        // An example without a test may be wrong without notice.
        @Test func `every example of the table has a test here, and every test an example`() throws
        {
            // This file is Tests/IntegrationTests/Documented/…: the root is four up.
            var root = URL(filePath: #filePath)
            for _ in 0..<4 {
                root.deleteLastPathComponent()
            }
            let article = try String(
                contentsOf: root.appending(
                    path: "Sources/Cascade/Cascade.docc/FromSwiftUIToProcesses.md"), encoding: .utf8
            )
            let shown = article.split(separator: "\n").filter { $0.hasPrefix("| ") }
                .map { $0.components(separatedBy: " | ") }.filter { $0.count == 4 }.dropFirst()
                .map { $0[3].trimmingCharacters(in: ["`", "|", " "]) }
            #expect(shown.count >= 29)
            #expect(Set(shown).subtracting(ShellExample.all.map(\.command)).sorted() == [])
            #expect(Set(ShellExample.all.map(\.command)).subtracting(shown).sorted() == [])
        }
    }
}

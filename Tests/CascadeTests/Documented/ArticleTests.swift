// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct ArticleTests {
    /// The text of a file of this repository, by its path from the root.
    private static func text(of path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The lines of files that are not comments.
    static func code(of paths: [String]) throws -> String {
        try paths.flatMap { try text(of: $0).split(separator: "\n") }
            .filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }
            .joined(separator: "\n")
    }

    // An example that readers copy has to work, so it is a test of this target.
    @Test func `the example of the test kit's article is LibraryTests, word for word`() throws {
        let tests = try Self.text(of: "Tests/CascadeTests/Documented/LibraryTests.swift")
        let code = tests.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2)
        let article = try Self.text(
            of: "Sources/CascadeTestKit/CascadeTestKit.docc/CascadeTestKit.md")
        #expect(article.contains("```swift\n" + code.joined(separator: "\n") + "```\n"))
    }

    // The rows promise equivalents of SwiftUI's features: each has to work.
    @Test func `every Swift example of FromSwiftUIToProcesses is run by a test`() throws {
        let tests = try Self.code(of: [
            "Tests/CascadeTests/Documented/SeedTests.swift",
            "Tests/CascadeTests/Documented/SeedValueTests.swift",
        ])
        let article = try Self.text(
            of: "Sources/Cascade/Cascade.docc/FromSwiftUIToProcesses.md")
        let rows = article.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { $0.components(separatedBy: " | ") }.filter { $0.count == 4 }.dropFirst()
        #expect(rows.count >= 25)
        for row in rows {
            let example = row[2].trimmingCharacters(in: ["`"])
            #expect(!example.isEmpty && tests.contains(example), "\(example) is in no test")
        }
    }
}

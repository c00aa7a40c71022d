// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ReadmeTests {
    private static func text(of path: String) throws -> String {
        let files = try Repository.checkedOut().textFiles
        return try #require(files.first { $0.path == path }).text
    }

    // What a newcomer copies has to compile: the example is a target of the package.
    @Test("The example in README.md is the kitchen, word for word")
    func example() throws {
        let kitchen = try Self.text(of: "Sources/Examples/Kitchen/Kitchen.swift")
        let code = kitchen.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2)
        let block = "```swift\n" + code.joined(separator: "\n") + "```\n"
        #expect(try Self.text(of: "README.md").contains(block))
    }

    @Test("README.md says what is in each folder of the sources")
    func folders() throws {
        let readme = try Self.text(of: "README.md")
        let targets = Set(try Repository.checkedOut().swiftFiles.compactMap(\.target))
        Finding.expectNone(
            targets.filter { !readme.contains("`Sources/\($0)`") }.sorted().map { target in
                Finding("README.md", "Sources/\(target) has no line in the table of folders")
            })
    }
}

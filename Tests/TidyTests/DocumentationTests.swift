// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct DocumentationTests {
    // An article without a link from its page is not found by readers.
    @Test func `every article is named by the page of its target`() throws {
        let texts = Dictionary(
            try Repository.checkedOut().files.map { ($0.path, $0.text) }
        ) { first, _ in first }
        let articles = texts.keys.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
        #expect(articles.count > 10)
        expectNone(
            articles.sorted().compactMap { path in
                let parts = path.split(separator: "/")
                let name = parts[parts.count - 1].dropLast(".md".count)
                let target = parts[parts.count - 2].dropLast(".docc".count)
                let page = (parts.dropLast() + ["\(target).md"]).joined(separator: "/")
                guard name != target, texts[page]?.contains("<doc:\(name)>") != true else {
                    return nil
                }
                return "\(path): \(page) does not lead to this article"
            })
    }

    // Readers copy the example, so it is a target of the package, which must compile.
    @Test func `the example in README is the kitchen, word for word`() throws {
        let kitchen = try text(of: "Sources/Examples/Kitchen/Kitchen.swift")
        let code = kitchen.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2)
        let block = "```swift\n" + code.joined(separator: "\n") + "```\n"
        #expect(try text(of: "README.md").contains(block))
    }

    @Test func `README names each folder of the sources`() throws {
        let readme = try text(of: "README.md")
        let targets = Set(try Repository.checkedOut().swiftFiles.compactMap(\.target))
        expectNone(
            targets.filter { !readme.contains("`Sources/\($0)`") }.sorted().map { target in
                "README.md: Sources/\(target) has no line in the table of folders"
            })
    }

    private func text(of path: String) throws -> String {
        try #require(try Repository.checkedOut().files.first { $0.path == path }).text
    }
}

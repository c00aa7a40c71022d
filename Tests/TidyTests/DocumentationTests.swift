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

    // Readers search the sources for the names of the map.
    @Test func `Every file, folder and type that HowTheCodeIsBuilt.md names exists`() throws {
        let path = "Sources/CascadeDaemon/CascadeDaemon.docc/HowTheCodeIsBuilt.md"
        let repository = try Repository.checkedOut()
        expectNone(
            missingNames(in: try text(of: path), repository).map { "\(path): '\($0)' is missing" })
        let planted =
            "`Peers/Broker+Nothing`, `Peers/PeerTable`, `Tests/TidyTests`, `Nothing`, `Turn`"
        #expect(missingNames(in: planted, repository) == ["Peers/Broker+Nothing", "Nothing"])
    }

    /// The names in backquotes that contain a slash or begin with a capital letter, and that are
    /// neither files nor folders nor types.
    private func missingNames(in text: String, _ repository: Repository) -> [Substring] {
        text.matches(of: /`(\w[\w+.\/]*)`/).map(\.output.1)
            .filter { $0.contains("/") || $0.first?.isUppercase == true }
            .filter { name in
                !repository.files.contains { file in
                    let path = "/\(file.path)/"
                    return path.contains("/\(name)/") || path.contains("/\(name).")
                } && !isType(name, repository)
            }
    }

    private func isType(_ name: Substring, _ repository: Repository) -> Bool {
        let keywords: Set<Substring> = ["actor", "class", "enum", "protocol", "struct"]
        return repository.swiftFiles.filter { $0.text.contains(" \(name)") }.contains { file in
            file.lines.contains { line in
                let words = line.split { !$0.isLetter && !$0.isNumber }
                return zip(words, words.dropFirst()).contains {
                    keywords.contains($0) && $1 == name
                }
            }
        }
    }

    private func text(of path: String) throws -> String {
        try #require(try Repository.checkedOut().files.first { $0.path == path }).text
    }
}

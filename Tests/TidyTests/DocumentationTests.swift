// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct DocumentationTests {
    // An article that no page leads to is read by nobody.
    @Test("Every article of the documentation is named by its target's page")
    func articles() throws {
        let files = try Repository.checkedOut().textFiles
        let texts = Dictionary(files.map { ($0.path, $0.text) }) { first, _ in first }
        let articles = texts.keys.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
        #expect(articles.count > 10)
        Finding.expectNone(
            articles.sorted().compactMap { path in
                let parts = path.split(separator: "/")
                let name = parts[parts.count - 1].dropLast(".md".count)
                let target = parts[parts.count - 2].dropLast(".docc".count)
                let page = (parts.dropLast() + ["\(target).md"]).joined(separator: "/")
                guard name != target, texts[page]?.contains("<doc:\(name)>") != true else {
                    return nil
                }
                return Finding(path, "\(page) does not lead to this article")
            })
    }
}

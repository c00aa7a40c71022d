// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct BannedWordTests {
    @Test("No banned word appears where it is banned")
    func tree() throws {
        let files = try Repository.checkedOut().swiftFiles
        Finding.expectNone(BannedWordRule.all.flatMap { files.flatMap($0.findings) })
    }

    @Test("Every word banned from pure targets is found in one", arguments: words(of: .pureTargets))
    func findsPlantedImpurity(word: String) {
        #expect(finds(word, in: "Sources/CascadeBroker/Broker.swift"))
        #expect(!finds(word, in: "Sources/cascaded/Cascaded.swift"))
    }

    @Test("Every word banned from sources is found in one", arguments: words(of: .sources))
    func findsPlantedCrash(word: String) {
        #expect(finds(word, in: "Sources/cascadectl/Cascadectl.swift"))
        #expect(!finds(word, in: "Tests/CascadeTests/WorkerTests.swift"))
    }

    @Test("Printing is found in a library and allowed in a program")
    func findsPlantedPrinting() {
        #expect(finds("print(", in: "Sources/Cascade/Worker.swift"))
        #expect(!finds("print(", in: "Sources/Examples/kitchen/Kitchen.swift"))
        #expect(!finds("fingerprint(", in: "Sources/Cascade/Worker.swift"))
    }

    @Test("Every word banned from tests is found in one", arguments: words(of: .tests))
    func findsPlantedWait(word: String) {
        #expect(finds(word, in: "Tests/CascadeTests/WorkerTests.swift"))
        #expect(!finds(word, in: "Sources/Cascade/Worker.swift"))
    }

    @Test("Randomness is accepted with a generator and only in the call that has it")
    func acceptsGenerator() {
        let accepted = SourceFile(
            path: "Sources/CascadeSession/Reconnect.swift",
            text: "let pause = Int.random(in: 0..<limit(of: 3), using: &generator)"
        )
        let refused = SourceFile(
            path: "Sources/CascadeSession/Reconnect.swift",
            text: "let pause = Int.random(in: 0..<limit(using: 3))"
        )
        #expect(BannedWordRule.pureTargets.findings(in: accepted).isEmpty)
        #expect(!BannedWordRule.pureTargets.findings(in: refused).isEmpty)
    }

    @Test("Comments and strings may name a banned word")
    func readsCodeOnly() {
        let file = SourceFile(
            path: "Sources/CascadeBroker/Broker.swift",
            text: "// never try! here\nlet advice = \"no fatalError( and no Date(\""
        )
        #expect(BannedWordRule.all.allSatisfy { $0.findings(in: file).isEmpty })
    }

    private static func words(of rule: BannedWordRule) -> [String] {
        rule.words.map(\.text)
    }

    private func finds(_ word: String, in path: String) -> Bool {
        let file = SourceFile(path: path, text: "\nlet planted = { \(word) }")
        return BannedWordRule.all.flatMap { $0.findings(in: file) }.contains { $0.line == 2 }
    }
}

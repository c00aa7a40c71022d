// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct PurityTests {
    /// A piece of Swift that must not appear in some files, and what to write instead.
    struct BannedWord: Sendable {
        let text: String
        let instead: String

        /// Whether the word is in the line's code; a comment may mention it. A call with its own
        /// generator is repeatable.
        func isUsed(in line: Substring) -> Bool {
            guard let found = line.firstRange(of: text), !line.contains("using: &") else {
                return false
            }
            let before = line[..<found.lowerBound]
            let isInsideWord = before.last.map { $0.isLetter || $0.isNumber } ?? false
            return !before.contains("//") && !(isInsideWord && text.first != ".")
        }
    }

    static let pure = [
        BannedWord(text: "Task {", instead: "return an effect and let the shell run it"),
        BannedWord(text: "Task.detached", instead: "return an effect and let the shell run it"),
        BannedWord(text: "ContinuousClock", instead: "take the instant as an argument"),
        BannedWord(text: "SuspendingClock", instead: "take the instant as an argument"),
        BannedWord(text: "Date(", instead: "take the instant as an argument"),
        BannedWord(text: ".random(", instead: "pass a generator"),
        BannedWord(text: ".randomElement(", instead: "pass a generator"),
        BannedWord(text: ".shuffled(", instead: "pass a generator"),
    ]

    static let fatal = [
        BannedWord(text: "try! ", instead: "handle the error, or let it reach the caller"),
        BannedWord(text: "as! ", instead: "use 'as?' and say what happens otherwise"),
        BannedWord(text: "fatalError(", instead: "trap by a precondition that gives the reason"),
    ]

    static let waiting = [
        BannedWord(text: "sleep(", instead: "wait for the event itself, or move a virtual clock")
    ]

    @Test(arguments: pure)
    func `a pure target reads no clock, draws no number and starts no task`(
        _ word: BannedWord
    ) throws {
        try expectUnused(word) { Layer.pure.contains($0.target ?? "") }
    }

    @Test(arguments: fatal)
    func `no source forces a try or a cast, or calls fatalError`(_ word: BannedWord) throws {
        try expectUnused(word) { $0.target != nil }
    }

    @Test func `a library prints nothing`() throws {
        let word = BannedWord(text: "print(", instead: "log it, or return it to the program")
        try expectUnused(word) { $0.target.map { !Layer.programs.contains($0) } ?? false }
    }

    // The tests of the virtual clock sleep on it without time passing.
    @Test(arguments: waiting)
    func `no test sleeps, except on a virtual clock`(_ word: BannedWord) throws {
        try expectUnused(word) {
            $0.path.hasPrefix("Tests/") && !$0.path.contains("TidyTests")
                && !$0.path.hasSuffix("/VirtualClockTests.swift")
        }
    }

    @Test(arguments: pure + fatal + waiting)
    func `a planted word is found in code and accepted in a comment`(_ word: BannedWord) {
        #expect(word.isUsed(in: "let planted = \(word.text)x)"))
        #expect(!word.isUsed(in: "let fine = 1  // never \(word.text)x)"))
    }

    private func expectUnused(
        _ word: BannedWord, where applies: (TextFile) -> Bool
    ) throws {
        let files = try Repository.checkedOut().swiftFiles.filter(applies)
        #expect(!files.isEmpty)
        expectNone(
            files.filter { $0.text.contains(word.text) }.flatMap { file in
                file.findings { word.isUsed(in: $0) ? "'\(word.text)': \(word.instead)" : nil }
            })
    }
}

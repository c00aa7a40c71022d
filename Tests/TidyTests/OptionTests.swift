// SPDX-License-Identifier: Apache-2.0

import Testing

/// The options and arguments of the programs.
@Suite struct OptionTests {
    /// A property that the argument parser sets.
    private struct Property {
        let name: String
        let line: Int
        /// Whether the help leaves it out: the option is accepted for scripts of earlier releases.
        let isHidden: Bool
    }

    // An option that no code reads has no effect.
    @Test(arguments: Layer.programs.sorted())
    func `the code reads each option in the help of a program`(target: String) throws {
        let files = try Repository.checkedOut().swiftFiles.filter { $0.target == target }
        #expect(files.contains { $0.text.contains("import ArgumentParser") })
        expectNone(unread(in: files))
    }

    // The help of an option is a phrase about its value or effect, and no sentence.
    @Test func `the help of the daemon's options has no imperative`() throws {
        let verbs: Set = ["Print", "Read", "Report", "Serve", "Show", "Use", "Write"]
        let files = try Repository.checkedOut().swiftFiles.filter { $0.target == "cascaded" }
        let texts = files.flatMap { file in
            file.text.matches(of: /help:\s*(?:ArgumentHelp\(\s*)?"+\s*(\w+)/).map {
                String($0.output.1)
            }
        }
        #expect(texts.count > 5)
        #expect(texts.filter(verbs.contains).isEmpty)
    }

    @Test func `a planted option that no code reads is found`() {
        let options = """
            @Option(help: "Number.")
            var count = 1

            @Flag(help: "Words.") var verbose = false
            @Option(help: .hidden) var old = 0

            func run() { print(count) }
            """
        let file = TextFile(path: "Sources/cascadectl/Planted.swift", text: options)
        #expect(unread(in: [file]).count == 1)
        #expect(unread(in: [file]).first?.contains("'verbose'") == true)
        let other = TextFile(
            path: "Sources/cascadectl/Other.swift", text: "let words = options.verbose")
        #expect(unread(in: [file, other]).isEmpty)
    }

    /// Returns a finding for each property that is read neither in its own file nor, as a member,
    /// in another one.
    private func unread(in files: [TextFile]) -> [String] {
        files.flatMap { file in
            properties(in: file).filter { property in
                !property.isHidden && !isRead(property, in: file)
                    && !files.contains { other in
                        other.path != file.path && mentions(".\(property.name)", in: other)
                    }
            }.map { "\(file.path):\($0.line): no code reads the option '\($0.name)'" }
        }
    }

    private func properties(in file: TextFile) -> [Property] {
        var found: [Property] = []
        var attribute: String?
        for (index, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if line.contains(/^ *@(Option|Flag|Argument)\b/) {
                attribute = ""
            }
            guard let opening = attribute else {
                continue
            }
            attribute = opening + line
            if let name = line.firstMatch(of: /\bvar (\w+)\b/)?.output.1 {
                found.append(
                    Property(
                        name: String(name), line: index + 1,
                        isHidden: (attribute ?? "").contains(".hidden")))
                attribute = nil
            }
        }
        return found
    }

    private func isRead(_ property: Property, in file: TextFile) -> Bool {
        file.text.split(separator: "\n").contains { line in
            !line.contains("var \(property.name)") && mentions(property.name, in: line)
        }
    }

    private func mentions(_ word: String, in file: TextFile) -> Bool {
        file.text.contains(word)
            && file.text.split(separator: "\n").contains { mentions(word, in: $0) }
    }

    /// Whether the code of a line has the word as a whole, outside of comments.
    private func mentions(_ word: String, in line: Substring) -> Bool {
        let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        let isPart = { (character: Character) in
            character.isLetter || character.isNumber || character == "_"
        }
        return code.ranges(of: word).contains { found in
            let before = word.hasPrefix(".") ? nil : code[..<found.lowerBound].last
            let after = code[found.upperBound...].first
            return ![before, after].compactMap(\.self).contains(where: isPart)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

/// A file of commands and the effects of the broker.
///
/// There is one command per line; after `----` come its effects, up to an empty line. Lines
/// that begin with `#` are comments.
struct Scenario: CustomTestStringConvertible, Sendable {
    struct Step: Sendable {
        /// Commands and comments, as written.
        var lines: [String]
        var expected: [String]
    }

    let name: String
    let location: String
    let steps: [Step]

    var testDescription: String {
        name
    }

    /// All scenarios, by name.
    static let all = Result { try read(folder: folder()) }

    /// This file is `Tests/CascadeBrokerTests/Transcripts/Scenario.swift`.
    private static func folder(of file: String = #filePath) -> String {
        "/" + file.split(separator: "/").dropLast(2).joined(separator: "/") + "/Scenarios"
    }

    private static func read(folder: String) throws -> [Scenario] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .filter { $0.hasSuffix(".txt") }
            .map { try Scenario(name: String($0.dropLast(4)), location: "\(folder)/\($0)") }
    }

    private init(name: String, location: String) throws {
        self.name = name
        self.location = location
        let data = try Data(contentsOf: URL(filePath: location))
        steps = Self.steps(in: String(decoding: data, as: UTF8.self))
    }

    private static func steps(in text: String) -> [Step] {
        var steps: [Step] = []
        var lines: [String] = []
        var expected: [String]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.isEmpty {
                steps.append(Step(lines: lines, expected: expected ?? []))
                lines = []
                expected = nil
            } else if line == "----" {
                expected = []
            } else if expected != nil {
                expected?.append(line)
            } else {
                lines.append(line)
            }
        }
        steps.append(Step(lines: lines, expected: expected ?? []))
        return steps.filter { !$0.lines.isEmpty }
    }

    /// Runs the commands on a bus of their own. Returns the same steps with the actual effects.
    func run() -> [Step] {
        var bus = ScenarioBus()
        return steps.map { step in
            var actual: [String] = []
            for line in step.lines where !line.isEmpty && !line.hasPrefix("#") {
                actual += bus.run(line)
            }
            return Step(lines: step.lines, expected: actual)
        }
    }

    /// Rewrites the file.
    func rewrite(_ steps: [Step]) throws {
        let text = steps.map { step in
            let commands = step.lines.joined(separator: "\n")
            let hasCommands = step.lines.contains { !$0.isEmpty && !$0.hasPrefix("#") }
            let output = step.expected.map { $0 + "\n" }.joined()
            return hasCommands ? "\(commands)\n----\n\(output)" : "\(commands)\n"
        }
        try Data(text.joined(separator: "\n").utf8).write(to: URL(filePath: location))
    }
}

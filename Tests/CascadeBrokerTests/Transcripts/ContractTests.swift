// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

// `Contract.md` says for each sentence of the contract which transcript or test would fail without
// it. What it names has to be there, and what is there has to be named.
@Suite struct ContractTests {
    /// This file is `Tests/CascadeBrokerTests/Transcripts/ContractTests.swift`.
    private static func index(of file: String = #filePath) throws -> String {
        let root = file.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(root)/Sources/CascadeBroker/CascadeBroker.docc/Contract.md"
        let data = try Data(contentsOf: URL(filePath: path))
        return String(decoding: data, as: UTF8.self)
    }

    /// The names in code font in the second column of the tables, but for suites of tests.
    private static func namedScenarios() throws -> [String] {
        try index().split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { row in
            let cells = row.split(separator: "|")
            let words = cells.dropFirst().first?.split(
                separator: "`", omittingEmptySubsequences: false)
            let quoted = (words ?? []).enumerated().filter { $0.offset % 2 == 1 }
            return quoted.map { String($0.element) }.filter { !$0.hasSuffix("Tests") }
        }
    }

    @Test("Each transcript that the index of the contract names exists")
    func existing() throws {
        let scenarios = Set(try Scenario.all.get().map(\.name))
        let named = try Self.namedScenarios()
        #expect(!named.isEmpty)
        #expect(named.filter { !scenarios.contains($0) } == [])
    }

    @Test("Each transcript is named in the index of the contract")
    func named() throws {
        let named = Set(try Self.namedScenarios())
        #expect(try Scenario.all.get().map(\.name).filter { !named.contains($0) } == [])
    }
}

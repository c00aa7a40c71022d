// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

// `Contract.md` names for each sentence of the contract the transcript or suite that tests it.
// Every named transcript must exist, and every transcript must be named.
@Suite struct ContractTests {
    /// This file is `Tests/CascadeBrokerTests/Transcripts/ContractTests.swift`.
    private static func index(of file: String = #filePath) throws -> String {
        let root = file.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(root)/Sources/CascadeBroker/CascadeBroker.docc/Contract.md"
        let data = try Data(contentsOf: URL(filePath: path))
        return String(decoding: data, as: UTF8.self)
    }

    /// The names in code font in the second column of the tables, except for suites of tests.
    private static func namedScenarios() throws -> [String] {
        try index().split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { row in
            let cells = row.split(separator: "|")
            let words = cells.dropFirst().first?.split(
                separator: "`", omittingEmptySubsequences: false)
            let quoted = (words ?? []).enumerated().filter { $0.offset % 2 == 1 }
            return quoted.map { String($0.element) }.filter { !$0.hasSuffix("Tests") }
        }
    }

    @Test func `every transcript that Contract.md names exists`() throws {
        let scenarios = Set(try Scenario.all.get().map(\.name))
        let named = try Self.namedScenarios()
        #expect(!named.isEmpty)
        #expect(named.filter { !scenarios.contains($0) } == [])
    }

    @Test func `every transcript is named in Contract.md`() throws {
        let named = Set(try Self.namedScenarios())
        #expect(try Scenario.all.get().map(\.name).filter { !named.contains($0) } == [])
    }
}

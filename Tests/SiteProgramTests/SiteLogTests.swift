// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import cascade_site

@Suite struct SiteLogTests {
    /// The folder of the repository. This file is `Tests/SiteProgramTests/SiteLogTests.swift`.
    private static func root(of file: String = #filePath) -> String {
        "/" + file.split(separator: "/").dropLast(3).joined(separator: "/")
    }

    @Test func `every kind of log message has one entry in the catalog`() throws {
        let path = Self.root() + "/deploy/systemd/site/cascade-site.catalog"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let entries = text.components(separatedBy: "\n-- ").dropFirst()
        #expect(entries.map { String($0.prefix(32)) } == SiteLogKind.allCases.map(\.rawValue))
        for entry in entries {
            let parts = entry.components(separatedBy: "\n\n")
            #expect(parts[0].contains("\nSubject: ") && parts[0].contains("\nDefined-By: Cascade"))
            #expect(parts.count > 1 && !parts[1].isEmpty)
        }
    }

    @Test func `the message ID of each kind is unique and valid for systemd`() {
        let numbers = SiteLogKind.allCases.map(\.rawValue)
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }
}

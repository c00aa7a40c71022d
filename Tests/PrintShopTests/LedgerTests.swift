// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import PrintShopEvents
import Testing

@Suite struct LedgerTests {
    // Each line is appended by one write, so lines cannot mix.
    @Test func `lines appended concurrently stay whole`() async throws {
        let directory = try TemporaryDirectory()
        let ledger = Ledger("\(directory.path)/ledger.txt")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for line in 0..<50 {
                        try ledger.append("writer \(writer), line \(line)")
                    }
                }
            }
            try await group.waitForAll()
        }
        let lines = try directory.lines(of: "ledger.txt")
        let expected = (0..<8).flatMap { writer in
            (0..<50).map { "writer \(writer), line \($0)" }
        }
        #expect(lines.sorted() == expected.sorted())
    }
}

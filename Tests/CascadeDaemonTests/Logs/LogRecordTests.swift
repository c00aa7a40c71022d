// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeDaemon
import CascadeWire
import Testing

@Suite struct LogRecordTests {
    @Test func `long paths and sentences are cut, with the number of bytes left out`() throws {
        let path = try NodePath("/first" + String(repeating: "/x", count: 30_000) + "/last")
        let record = LogRecord(.attached(path, processID: 12)).shortened
        #expect(record.sentence.utf8.count < 1_200)
        #expect(record.sentence.hasPrefix("/first/x/x"))
        #expect(record.sentence.hasSuffix("/x/last attached by process 12"))
        #expect(record.sentence.contains("[59266 bytes]"), "\(record.sentence)")
        let node = try #require(record.fields[.node])
        #expect(node.utf8.count < 700 && node.hasPrefix("/first/x") && node.hasSuffix("/x/last"))
        let sentence = String(repeating: "\u{301}\u{1F600}", count: 20_000)
        let refused = LogRecord(.refused(processID: 1, .badPath, sentence: sentence)).shortened
        #expect(refused.sentence.utf8.count < 1_200)
        #expect(refused.sentence.hasSuffix("(badPath)"))
    }

    @Test func `a record of usual length is shown whole`() {
        let path: NodePath = "/shop/floor/till"
        #expect(LogRecord(.left(path)).shortened == LogRecord(.left(path)))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import Testing

@Suite struct LineSplitterTests {
    private static let texts = ["", "\n", "a", "a\n", "\n\n", "a\nbb\n\nccc", "é\n\r\nx\n"]

    @Test(arguments: texts, 1...4)
    func `lines do not depend on the chunks of the text`(text: String, size: Int) {
        var splitter = LineSplitter()
        var lines: [String] = []
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            splitter.append(bytes.prefix(size))
            bytes = bytes.dropFirst(size)
            while let line = splitter.next() {
                lines.append(line)
            }
        }
        let rest = splitter.rest()
        let parts = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        #expect(lines == parts.dropLast())
        #expect(rest ?? "" == parts.last)
        let more = splitter.rest()
        #expect(more == nil)
    }
}

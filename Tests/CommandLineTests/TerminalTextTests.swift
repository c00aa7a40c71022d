// SPDX-License-Identifier: Apache-2.0

import Testing
import cascadectl

@Suite struct TerminalTextTests {
    @Test func `Columns that fit keep their widths`() {
        #expect(ColumnFit.widths([5, 10, 3], within: 18) == [5, 10, 3])
    }

    @Test func `The widest columns are narrowed to fit, and narrow ones stay`() {
        #expect(ColumnFit.widths([5, 40, 3, 30], within: 48) == [5, 20, 3, 20])
        #expect(ColumnFit.widths([5, 40, 12], within: 37) == [5, 20, 12])
    }

    @Test func `No room is lost to rounding`() {
        #expect(ColumnFit.widths([30, 30], within: 41) == [21, 20])
    }

    @Test func `A whole column keeps its width`() {
        #expect(ColumnFit.widths([34, 30, 30], keeping: [0], within: 60) == [34, 13, 13])
    }

    @Test func `Lines are cut to the width, and colours kept`() {
        let line = "\u{1B}[1mkitchen\u{1B}[0m is live"
        #expect(ScreenText.cut(line, to: 9) == "\u{1B}[1mkitchen\u{1B}[0m i")
        #expect(ScreenText.cut("日本語", to: 5) == "日本")
    }

    @Test func `A text of more rows than the terminal says how many are left out`() {
        let text = (1...30).map { "row \($0)" }.joined(separator: "\n")
        let lines = ScreenText.lines(of: text, columns: 80, rows: 24)
        #expect(lines.count == 23)
        #expect(lines.first == "row 1" && lines[21] == "row 22")
        #expect(lines.last == "… 8 more lines do not fit the terminal")
        #expect(ScreenText.lines(of: "a\nb", columns: 80, rows: 24) == ["a", "b"])
    }
}

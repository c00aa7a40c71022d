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

    // MARK: - A line of words

    private static let id = "00112233445566778899aabbccddeeff-12"

    private static func line(
        path: String = "/kitchen/oven", _ more: WordLine.Word...
    ) -> WordLine {
        WordLine(
            [
                WordLine.Word("12:30:00", shortening: .never),
                WordLine.Word("event", shortening: .never),
                WordLine.Word("ended", shortening: .never),
                WordLine.Word(path, shortening: .middle),
                WordLine.Word("DishReady", shortening: .end),
                WordLine.Word(id, shortening: .first),
                WordLine.Word("event", label: "lane=", shortening: .leftOut),
                WordLine.Word("handled", label: "outcome=", shortening: .never),
            ] + more)
    }

    @Test func `A line that fits, or is for no terminal, has all words as they are`() {
        let whole =
            "12:30:00  event  ended  /kitchen/oven  DishReady  \(Self.id)  lane=event"
            + "  outcome=handled"
        #expect(Self.line().text(width: nil) == whole)
        #expect(Self.line().text(width: whole.count) == whole)
    }

    @Test func `What another word says is left out first, then the middle of the ID`() {
        let withoutLane =
            "12:30:00  event  ended  /kitchen/oven  DishReady  \(Self.id)  outcome=handled"
        #expect(Self.line().text(width: withoutLane.count + 3) == withoutLane)
        #expect(
            Self.line().text(width: 80)
                == "12:30:00  event  ended  /kitchen/oven  DishReady  001122…eff-12  "
                + "outcome=handled")
    }

    @Test func `A spare word is left out before an ID is shortened to few columns`() {
        let cause = WordLine.Word(Self.id, label: "cause=", shortening: .spare)
        #expect(
            Self.line(cause).text(width: 110)
                == "12:30:00  event  ended  /kitchen/oven  DishReady  0011…ff-12  "
                + "outcome=handled  cause=001122334455…bccddeeff-12")
        #expect(Self.line(cause).text(width: 80) == Self.line().text(width: 80))
    }

    @Test func `The widest words are shortened last, a path in its middle`() {
        let line = Self.line(path: "/a/very/long/path/of/the/kitchen/oven")
        #expect(
            line.text(width: 80)
                == "12:30:00  event  ended  /a/very/l…tchen/oven  DishReady  00…-12  "
                + "outcome=handled")
    }

    @Test(arguments: [1, 12, 40, 60])
    func `A line is never wider than the terminal`(width: Int) {
        #expect(Self.line().text(width: width).count <= width)
    }
}

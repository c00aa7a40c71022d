// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct BudgetTests {
    @Test("Every file keeps its budget of lines")
    func fileLengths() throws {
        let files = try Repository.checkedOut().swiftFiles
        Finding.expectNone(files.flatMap(FileBudget.cascade.longFileFindings))
    }

    @Test(
        "A planted file one line over its budget is found",
        arguments: [("Sources/Cascade/Worker.swift", 400), ("Tests/CascadeTests/Tests.swift", 500)]
    )
    func findsPlantedLongFile(path: String, linesMax: Int) {
        let longest = SourceFile(path: path, text: lines(linesMax))
        let tooLong = SourceFile(path: path, text: lines(linesMax + 1))
        #expect(FileBudget.cascade.longFileFindings(in: longest).isEmpty)
        #expect(FileBudget.cascade.longFileFindings(in: tooLong).count == 1)
    }

    @Test("Every line keeps its budget of characters")
    func lineLengths() throws {
        let files = try Repository.checkedOut().swiftFiles
        Finding.expectNone(files.flatMap(FileBudget.cascade.longLineFindings))
    }

    @Test("A planted line one character over its budget is found, unless it holds a link")
    func findsPlantedLongLine() {
        let longest = String(repeating: "é", count: 100)
        let text = "\(longest)\n\(longest)é\n\(longest)://\n"
        let file = SourceFile(path: "Sources/Cascade/Worker.swift", text: text)
        #expect(FileBudget.cascade.longLineFindings(in: file).map(\.line) == [2])
    }

    @Test("Every function keeps its budget of lines")
    func functionLengths() throws {
        let files = try Repository.checkedOut().swiftFiles
        Finding.expectNone(files.flatMap(FunctionBudget.cascade.findings))
    }

    @Test("Every exemption from the budget of functions is needed")
    func exemptions() throws {
        let files = try Repository.checkedOut().swiftFiles
        Finding.expectNone(FunctionBudget.cascade.needlessExemptionFindings(in: files))
    }

    @Test("A planted function one line over its budget is found")
    func findsPlantedLongFunction() {
        let text = "func longest() {\n\(lines(60))}\nfunc tooLong() {\n\(lines(61))}\n"
        let file = SourceFile(path: "Sources/Cascade/Worker.swift", text: text)
        #expect(FunctionBudget.cascade.findings(in: file).map(\.line) == [63])
    }

    @Test("An exemption excuses its function and is found when it is no longer needed")
    func findsNeedlessExemption() {
        let path = "Sources/Cascade/Worker.swift"
        let budget = FunctionBudget(
            bodyLinesMax: 2,
            exemptions: [.init(path: path, function: "serve", reason: "planted")]
        )
        let long = SourceFile(path: path, text: "func serve() {\n\(lines(3))}")
        let short = SourceFile(path: path, text: "func serve() {\n\(lines(2))}")
        #expect(budget.findings(in: long).isEmpty)
        #expect(budget.needlessExemptionFindings(in: [long]).isEmpty)
        #expect(budget.needlessExemptionFindings(in: [short]).count == 1)
    }

    private func lines(_ count: Int) -> String {
        String(repeating: "a\n", count: count)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct CommentTests {
    @Test("Every Swift file begins with its licence")
    func licences() throws {
        let files = try Repository.checkedOut().swiftFiles
        Finding.expectNone(files.flatMap(LicenceRule().findings))
    }

    @Test(
        "A planted file without a licence is found",
        arguments: ["", "struct Worker {}\n", "\n// SPDX-License-Identifier: Apache-2.0\n"]
    )
    func findsPlantedOmission(text: String) {
        let file = SourceFile(path: "Sources/Cascade/Worker.swift", text: text)
        #expect(LicenceRule().findings(in: file).map(\.line) == [1])
    }

    @Test("A manifest names its licence on the second line")
    func acceptsManifest() {
        let text = "// swift-tools-version: 6.2\n// SPDX-License-Identifier: Apache-2.0\n"
        #expect(LicenceRule().findings(in: SourceFile(path: "Package.swift", text: text)).isEmpty)
    }

    @Test("No comment puts work off")
    func unfinishedWork() throws {
        let files = try Repository.checkedOut().swiftFiles
        Finding.expectNone(files.flatMap(UnfinishedWorkRule().findings))
    }

    @Test("Planted unfinished work is found", arguments: ["TODO", "FIXME", "XXX"])
    func findsPlantedUnfinishedWork(mark: String) {
        let text = "let mark = \"\(mark)\"\n// \(mark): later\n"
        let file = SourceFile(path: "Sources/Cascade/Worker.swift", text: text)
        #expect(UnfinishedWorkRule().findings(in: file).map(\.line) == [2])
    }
}

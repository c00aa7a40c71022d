// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct NamingTests {
    @Test("Every type name says what the type is")
    func typeNames() throws {
        let files = try Repository.checkedOut().swiftFiles
        Finding.expectNone(files.flatMap(TypeNameRule().findings))
    }

    @Test(
        "A planted type name without a concept is found",
        arguments: ["struct PeerManager {}", "enum Util {}", "final class NodeHelpers {}"]
    )
    func findsPlantedTypeName(declaration: String) {
        let file = SourceFile(path: "Sources/Cascade/Planted.swift", text: "\n\(declaration)")
        #expect(TypeNameRule().findings(in: file).map(\.line) == [2])
    }

    @Test("A longer word is not mistaken for an empty one")
    func acceptsLongerWords() {
        let file = SourceFile(path: "Sources/Cascade/Use.swift", text: "struct QuotaUtilization {}")
        #expect(TypeNameRule().findings(in: file).isEmpty)
    }

    @Test("Every file is named for its concept")
    func fileNames() throws {
        let files = try Repository.checkedOut().swiftFiles
        Finding.expectNone(files.flatMap(FileNameRule().findings))
    }

    @Test(
        "A planted file named for something else is found",
        arguments: [
            ("Sources/Cascade/Worker.swift", "struct Node {}"),
            ("Sources/Cascade/Worker.swift", "extension Worker {}"),
            ("Sources/Cascade/Worker+Draining.swift", "struct Worker {}"),
            ("Sources/Cascade/Worker+Draining.swift", "extension Node {}"),
            ("Sources/Cascade/Worker.swift", "// struct Worker {}"),
        ]
    )
    func findsPlantedFileName(path: String, text: String) {
        #expect(FileNameRule().findings(in: SourceFile(path: path, text: text)).count == 1)
    }

    @Test(
        "A file named for its concept is accepted",
        arguments: [
            ("Sources/Cascade/Worker.swift", "public protocol Worker: Sendable {}"),
            ("Sources/Cascade/Worker+Draining.swift", "extension Worker {}"),
            ("Sources/CascadeBroker/State+Exits.swift", "extension Propagation.State {}"),
            ("Sources/cascaded/main.swift", "Cascaded.main()"),
        ]
    )
    func acceptsFileName(path: String, text: String) {
        #expect(FileNameRule().findings(in: SourceFile(path: path, text: text)).isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct RepositoryTests {
    // The rules below pass on an empty list: this shows that the walk reaches the tree.
    @Test("The walk finds the manifest, the sources and this very file")
    func findsFiles() throws {
        let paths = try Repository.checkedOut().swiftFiles.map(\.path)
        #expect(paths.contains("Package.swift"))
        #expect(paths.contains { $0.hasPrefix("Sources/") })
        #expect(paths.contains("Tests/TidyTests/RepositoryTests.swift"))
    }

    @Test("The walk finds dotfiles and leaves out what is never committed")
    func leavesOutUntracked() throws {
        let repository = try Repository.checkedOut()
        #expect(repository.textFiles.contains { $0.path == ".swift-format" })
        #expect(!repository.topLevelNames.contains(".git"))
        #expect(!repository.textFiles.contains { $0.path.contains(".build/") })
    }

    @Test("The top level holds only what a newcomer has to see first")
    func topLevelIsSmall() throws {
        let names = try Repository.checkedOut().topLevelNames
        Finding.expectNone(TopLevelRule().findings(in: names))
    }

    @Test("A planted folder at the top level is found")
    func findsPlantedFolder() {
        let findings = TopLevelRule().findings(in: [".ci", "Package.swift", "Scripts", "Sources"])
        #expect(findings.map(\.path) == ["Scripts"])
    }
}

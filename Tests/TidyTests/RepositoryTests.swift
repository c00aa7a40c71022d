// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct RepositoryTests {
    // The other rules pass on an empty list: this test shows that the walk reaches the files.
    @Test func `the walk finds sources and dotfiles and skips files that tools leave`() throws {
        let paths = Set(try Repository.checkedOut().files.map(\.path))
        #expect(paths.contains("Package.swift"))
        #expect(paths.contains(".swift-format"))
        #expect(paths.contains("Tests/TidyTests/RepositoryTests.swift"))
        #expect(paths.contains { $0.hasPrefix("Sources/CascadeBroker/") })
        #expect(!paths.contains { $0.contains(".build/") || $0.hasPrefix(".git/") })
    }

    @Test func `the top level holds the manifest, three folders, README and dotfiles`() throws {
        let names = try Repository.checkedOut().topLevelNames.filter { !$0.hasPrefix(".") }
        #expect(names == ["Package.swift", "README.md", "Sources", "Tests", "deploy"])
    }

    @Test func `every Swift file names its licence`() throws {
        let mark = "// SPDX-License-Identifier: Apache-2.0"
        // A manifest names the version of its tools before it.
        expectNone(
            try Repository.checkedOut().swiftFiles
                .filter { !$0.lines.prefix($0.path == "Package.swift" ? 2 : 1).contains(mark[...]) }
                .map { "\($0.path): expected '\(mark)'" })
    }

    @Test func `no line of the console's page is longer than 120 columns`() throws {
        let page = try Repository.checkedOut().files
            .filter { $0.path.hasPrefix("Sources/CConsoleAssets/Page/") }
        #expect(page.count > 20)
        expectNone(page.flatMap { $0.findings { $0.count > 120 ? "\($0.count) columns" : nil } })
    }

    @Test func `no file names a path of one machine`() throws {
        expectNone(
            try Repository.checkedOut().files(
                mentioning: "/home" + "/", "/root" + "/", "/work" + "/"
            )
            .flatMap { $0.findings(machinePath) })
        // Put together from parts, because this file is checked too.
        #expect(machinePath(in: "Run `/" + "home/me/run`.") != nil)
        #expect(machinePath(in: "deploy/" + "work/run, $BASE/" + "home/run") == nil)
    }

    private func machinePath(in line: Substring) -> String? {
        line.firstMatch(of: /(?:^|[^\w\-.}\/])\/(home|root|work)\//).map { "'\($0.output.0)…'" }
    }

    @Test func `no file links to a package registry`() throws {
        expectNone(
            try Repository.checkedOut().files(mentioning: "://")
                .flatMap { $0.findings(registry) })
        #expect(registry(in: "url: https:/" + "/swift-mirror.example.org/x") != nil)
        #expect(registry(in: "https:" + "//github.com/apple/swift-package-registry") == nil)
    }

    private func registry(in line: Substring) -> String? {
        let label =
            /:\/\/([\w\-.]*[\-.])?(artifactory|crates|mirrors?|nexus|npmjs|proxy|pypi|registry)[\-.]/
        return line.firstMatch(of: label.ignoresCase()).map { "a registry, \($0.output.0)" }
    }
}

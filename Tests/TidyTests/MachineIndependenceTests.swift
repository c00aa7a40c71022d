// SPDX-License-Identifier: Apache-2.0

import Testing

// What is planted here is put together from parts: this file is read by the rules it tests.
@Suite struct MachineIndependenceTests {
    @Test("No file names a path that exists on one machine only")
    func machinePaths() throws {
        let files = try Repository.checkedOut().textFiles
        Finding.expectNone(files.flatMap(MachinePathRule().findings))
    }

    @Test("A planted path of one machine is found", arguments: ["work", "root", "home"])
    func findsPlantedPath(folder: String) {
        let file = TextFile(path: "README.md", text: "Run\n`/\(folder)/someone/run`.\n")
        #expect(MachinePathRule().findings(in: file).map(\.line) == [2])
    }

    @Test("A folder of that name inside another path is accepted", arguments: ["work", "home"])
    func acceptsInnerFolder(folder: String) {
        let file = TextFile(path: "README.md", text: "`deploy/\(folder)/run` $BASE/\(folder)/run")
        #expect(MachinePathRule().findings(in: file).isEmpty)
    }

    @Test("No file links to a package registry")
    func registryHosts() throws {
        let files = try Repository.checkedOut().textFiles
        Finding.expectNone(files.flatMap(RegistryHostRule().findings))
    }

    @Test(
        "A planted link to a registry is found",
        arguments: ["registry.example.org", "swift-mirror.example.org", "PyPI.example.org"]
    )
    func findsPlantedRegistry(host: String) {
        let file = TextFile(path: "Package.swift", text: "\nurl: \"https" + "://\(host)/x\"")
        #expect(RegistryHostRule().findings(in: file).map(\.line) == [2])
    }

    @Test("A link to a project's page is accepted")
    func acceptsProjectPage() {
        let text = "https" + "://github.com/apple/swift-package-registry"
        #expect(RegistryHostRule().findings(in: TextFile(path: "README.md", text: text)).isEmpty)
    }
}

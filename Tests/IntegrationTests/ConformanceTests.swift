// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `cascadectl conformance` against workers that conform, and against some that do not.
@FaultThread
@Suite(.serialized, .timeLimit(.minutes(2))) struct ConformanceTests {
    private nonisolated static let roles = ["responder", "origin", "subscriber", "resuming"]

    @Test(arguments: roles)
    func `the library's conformance worker passes every row of a role`(role: String) throws {
        let worker = try LineProgram.built("conformance-worker").path
        try expectNoFailure(["--role", role, "--", worker])
    }

    @Test(arguments: roles)
    func `the Python package's conformance worker passes every row of a role`(
        role: String
    ) throws {
        let command = ["/usr/bin/python3", "-B", "-c", Self.packageWorker]
        try expectNoFailure(["--role", role, "--"] + command)
    }

    @Test(
        arguments: [
            ("twice", "responder", "answers a visit with one verdict", "second verdict"),
            ("greedy", "origin", "waits for credit", "at most 2 triggers"),
            (
                "forgetful", "resuming",
                "sends again what has no outcome, in order, before anything new", "'trigger'"
            ),
            ("deaf", "resuming", "answers a redelivery from memory", "exit of the client"),
        ])
    func `a client with a fault fails the row about it, and passes others`(
        fault: String, role: String, requirement: String, expected: String
    ) throws {
        let script = Self.folder.appending(path: "Python/wrong_client.py").path
        let ending = try conformance(
            [
                "--role", role, "--limit", "2s", "--json", "--", "/usr/bin/python3", "-B", script,
                fault,
            ])
        #expect(ending.exitCode == 3)
        let document = try JSONText(ending.output.text)
        let rows = document["items"].elements
        let row = try #require(rows.first { $0["requirement"].string == requirement })
        #expect(row["result"].string == "failed")
        #expect(row["expected"].string?.contains(expected) == true, "\(row)")
        #expect(row["received"].string?.isEmpty == false)
        let passed = try #require(document["passed"].integer)
        let failed = try #require(document["failed"].integer)
        #expect(passed > 0 && failed > 0 && passed + failed == rows.count)
    }

    @Test func `the table in the documentation has the rows of the command, in its order`() throws {
        let ending = try conformance(["--list", "--json"])
        #expect(ending.exitCode == 0)
        let listed = try JSONText(ending.output.text)["items"].elements.map { row in
            ["role", "requirement", "section"].map { row[$0].string ?? "" }
        }
        let documented = try Self.article("Conformance")
            .components(separatedBy: "## The table").dropFirst().joined()
            .split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
            .map { line in
                line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
        #expect(documented == listed)
        #expect(Set(listed.map { $0[0] }) == Set(Self.roles))
        // Each row names a section that exists.
        let headings = Set(
            try Self.article("Protocol").split(separator: "\n").filter { $0.hasPrefix("##") }
                .map { $0.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces) })
        #expect(listed.allSatisfy { headings.contains($0[2]) })
    }

    @Test func `a client that ends at once fails with its exit status`() throws {
        let ending = try conformance(["--role", "subscriber", "--", "/bin/false"])
        #expect(ending.exitCode == 3)
        #expect(ending.output.text.contains("received  the client exited with status 1"))
        #expect(ending.output.text.contains("0 passed, "))
    }

    @Test func `a command that does not exist is not found`() throws {
        let ending = try conformance(["--", "/nonexistent/client"])
        #expect(ending.exitCode == 127)
        #expect(ending.output.bytes.isEmpty)
    }

    @Test(arguments: [[], ["--list", "--", "true"], ["--limit", "0s", "--", "true"]])
    func `a check without a command, or with a useless option, is wrong usage`(
        arguments: [String]
    ) throws {
        #expect(try conformance(arguments).exitCode == 64)
    }

    // MARK: - Running

    private func expectNoFailure(_ arguments: [String]) throws {
        let ending = try conformance(arguments)
        #expect(ending.exitCode == 0, "\(ending.output.text)\n\(ending.diagnostics.text)")
        #expect(ending.output.text.hasSuffix(" passed, 0 failed\n"))
    }

    private func conformance(_ arguments: [String]) throws -> SpawnedProgram.Ending {
        try SpawnedProgram("cascadectl", ["conformance"] + arguments, bus: "ipc:///none")
            .end(within: 50_000)
    }

    private nonisolated static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private nonisolated static var repository: URL {
        folder.deletingLastPathComponent().deletingLastPathComponent()
    }

    /// Runs the package's worker from the sources.
    private nonisolated static var packageWorker: String {
        """
        import asyncio, sys
        sys.path.insert(0, '\(repository.appending(path: "deploy/python").path)')
        from cascade_bus import conformance
        sys.exit(asyncio.run(conformance.main()))
        """
    }

    private static func article(_ name: String) throws -> String {
        try String(
            contentsOf: repository.appending(
                path: "Sources/CascadeWire/CascadeWire.docc/\(name).md"), encoding: .utf8)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Documented {
    /// The manual documents the programs' options: `deploy/build-manual` is run with the programs that
    /// were built beside the tests.
    @FaultThread
    @Suite(.serialized) struct ManualTests {
        @Test func `the page of cascadectl documents every option of every command`() throws {
            let page = try Self.page("cascadectl.1")
            let commands = try Self.commands([])
            #expect(commands.count > 30)
            for command in commands {
                #expect(page.contains("## \(command.joined(separator: " "))\n"), "\(command)")
                for option in try Self.options("cascadectl", ["help"] + command) {
                    #expect(page.contains("`\(option)`"), "\(command) \(option)")
                }
            }
        }

        @Test func `the page of cascaded documents every option`() throws {
            let page = try Self.page("cascaded.8")
            let options = try Self.options("cascaded", ["--help"])
            #expect(options.count > 5)
            for option in options {
                #expect(page.contains("`\(option)`"), "\(option)")
            }
        }

        @Test(.enabled(if: isSiteBuilt, "cascade-site was not built"))
        func `the page of cascade-site documents every option of every command`() throws {
            let page = try Self.page("cascade-site.8")
            for command in [
                "run", "init", "add", "remove", "join", "key", "permissions", "check", "demo",
            ] {
                #expect(page.contains("## \(command)\n"))
                // Every command has these two.
                let options = try Self.options("cascade-site", ["help", command])
                    .subtracting(["--help", "--version"])
                for option in options {
                    #expect(page.contains("`\(option)`"), "\(command) \(option)")
                }
            }
            #expect(!page.contains("<!--"))
        }

        @Test(.enabled(if: isConsoleBuilt, "cascade-console was not built"))
        func `the page of cascade-console documents every option`() throws {
            let page = try Self.page("cascade-console.1")
            let options = try Self.options("cascade-console", ["--help"])
                .union(Self.options("cascade-console", ["help", "link"]))
            #expect(options.count > 10)
            for option in options {
                #expect(page.contains("`\(option)`"), "\(option)")
            }
            #expect(!page.contains("<!--"))
        }

        /// The program is built where the package's targets for sites are.
        private nonisolated static var isSiteBuilt: Bool {
            isBuilt("cascade-site")
        }

        /// The program is built where the package's targets for the console are.
        private nonisolated static var isConsoleBuilt: Bool {
            isBuilt("cascade-console")
        }

        private nonisolated static func isBuilt(_ program: String) -> Bool {
            let folder = (try? SpawnedProgram.directory().path) ?? ""
            return access("\(folder)/\(program)", X_OK) == 0
        }

        @Test(
            arguments: [
                "cascade.7", "cascade-conformance.7", "cascade-protocol.7", "cascade-rules.5",
            ])
        func `a page has its name, and contains no directive`(name: String) throws {
            let page = try Self.page(name)
            #expect(page.contains("# Name\n\n\(name.dropLast(2)) - "))
            #expect(!page.contains("<!--"))
        }

        @Test(
            .enabled(
                if: access("/usr/bin/pandoc", X_OK) == 0 && access("/usr/bin/mandoc", X_OK) == 0))
        func `mandoc finds no fault in the pages`() throws {
            let folder = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(folder) }
            try Self.build([], folder)
            let lint = try SpawnedProgram(
                "/bin/sh", ["-c", "mandoc -T lint -W warning \(folder)/man*/*"], bus: "ipc:///none"
            ).end()
            #expect(lint.exitCode == 0, "\(lint.output.text)")
            let page = try String(contentsOfFile: "\(folder)/man1/cascadectl.1", encoding: .utf8)
            for option in try Self.options("cascadectl", ["help", "attach"]) {
                let escaped = option.replacingOccurrences(of: "-", with: "\\-")
                #expect(page.contains(escaped) || page.contains(option), "\(option)")
            }
        }

        // MARK: - Programs

        /// All commands that run, as lists of words: those of each group in the help.
        private static func commands(_ words: [String]) throws -> [[String]] {
            let help = try said("cascadectl", ["help"] + words)
            let lists = help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst()
            guard !lists.isEmpty else {
                return [words]
            }
            let names = lists.flatMap { list in
                list.split(separator: "\n", omittingEmptySubsequences: false)
                    .prefix { !$0.isEmpty }
                    .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
                    .map { $0.split(separator: " ")[0] }
            }
            return try names.flatMap { try commands(words + [String($0)]) }
        }

        private static func options(_ program: String, _ arguments: [String]) throws -> Set<String>
        {
            let lines = try said(program, arguments).split(separator: "\n")
            let heads = lines.filter { $0.hasPrefix("  -") }
            return Set(
                heads.flatMap { $0.split { " ,/".contains($0) }.filter { $0.hasPrefix("--") } }
                    .map(String.init))
        }

        private static func said(_ program: String, _ arguments: [String]) throws -> String {
            let ending = try SpawnedProgram(program, arguments, bus: "ipc:///none").end()
            try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
            return ending.output.text
        }

        // MARK: - Pages

        /// The pages by the names of their files, once they have been built.
        private static var pages: [String: String] = [:]

        private static func page(_ name: String) throws -> String {
            if pages.isEmpty {
                let folder = try FaultBus.makeDirectory()
                defer { FaultBus.removeDirectory(folder) }
                try build(["--markdown"], folder)
                for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                    pages[file] = try String(
                        contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
                }
            }
            return try #require(pages["\(name).md"])
        }

        /// The script asks each command of four programs for its help, and prints nothing meanwhile.
        private static let buildMilliseconds = 55_000

        private static func build(_ options: [String], _ folder: String) throws {
            // This file is Tests/IntegrationTests/Documented/…: the root is four up.
            let root = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let script = root.appending(path: "deploy/build-manual").path
            let programs = try SpawnedProgram.directory().path
            let ending = try SpawnedProgram(
                "/usr/bin/python3", [script] + options + [programs, folder], bus: "ipc:///none"
            ).end(within: buildMilliseconds)
            try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
        }
    }
}

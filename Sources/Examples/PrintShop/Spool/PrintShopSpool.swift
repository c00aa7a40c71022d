// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import FoundationEssentials

@main
struct PrintShopSpool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-spool",
        abstract: "Has every file printed that is dropped into a directory.",
        discussion: """
            What was printed moves to the directory's 'done', the rest to its 'rejected', with a \
            line that says why. Names that begin with a dot are left alone.
            """)

    @Argument(help: "The directory to watch.")
    var directory: String

    @Option(help: "The path that the spool stands below.", transform: NodePath.init(validating:))
    var below: NodePath = "/shop"

    @Option(help: "How often to have each file printed.")
    var copies = 1

    func run() async throws {
        let current = FileManager.default.currentDirectoryPath
        let path = directory.hasPrefix("/") ? directory : "\(current)/\(directory)"
        let directory = try SpoolDirectory(path: path)
        try await WorkerProcess(mount: below) { Spool(directory: directory, copies: copies) }.run()
    }
}

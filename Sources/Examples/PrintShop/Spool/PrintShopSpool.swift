// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import FoundationEssentials

@main
struct PrintShopSpool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-spool",
        abstract: "Prints every file that arrives in a directory.",
        discussion: """
            Printed files move to the subdirectory 'done', others to 'rejected', with the reason \
            in a file beside each. Files whose names begin with a dot are ignored.
            """)

    @Argument(help: "Directory to watch.")
    var directory: String

    @Option(help: "Path of the parent node.", transform: NodePath.init(validating:))
    var below: NodePath = "/shop"

    @Option(help: "Number of copies of each file.")
    var copies = 1

    func run() async throws {
        let current = FileManager.default.currentDirectoryPath
        let path = directory.hasPrefix("/") ? directory : "\(current)/\(directory)"
        let directory = try SpoolDirectory(path: path)
        try await WorkerProcess(mount: below) { Spool(directory: directory, copies: copies) }.run()
    }
}

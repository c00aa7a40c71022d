// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import PrintShopEvents

@main
struct PrintShopPrinter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-printer",
        abstract: "Prints suitable files; other files go on up the tree.")

    @Argument(help: "Name of the printer and its node.")
    var name: String

    @Option(help: "Path of the parent node.", transform: NodePath.init(validating:))
    var below: NodePath = "/shop"

    @Option(
        parsing: .upToNextOption,
        help: "Kinds of files: \(FileKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var takes: [FileKind] = [.text, .pdf]

    @Option(help: "Maximum size of a file, in bytes.")
    var limit = 1_048_576

    @Option(help: "Directory of the ledger.")
    var out: String

    func run() async throws {
        let printer = Printer(
            name: name, kinds: Set(takes), byteLimit: limit, ledger: Ledger("\(out)/\(name).txt"))
        try await WorkerProcess(mount: below) { printer }.run()
    }
}

extension FileKind: ExpressibleByArgument {}

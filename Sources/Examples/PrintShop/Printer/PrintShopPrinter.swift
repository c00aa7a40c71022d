// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import PrintShopEvents

@main
struct PrintShopPrinter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-printer",
        abstract: "Prints the files that it is made for; the others go on up the tree.")

    @Argument(help: "What the printer is called: its node's name.")
    var name: String

    @Option(help: "The path that the printer stands below.", transform: NodePath.init(validating:))
    var below: NodePath = "/shop"

    @Option(
        parsing: .upToNextOption,
        help: "What it prints: \(FileKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var takes: [FileKind] = [.text, .pdf]

    @Option(help: "The largest file that it prints, in bytes.")
    var limit = 1_048_576

    @Option(help: "The directory of its ledger.")
    var out: String

    func run() async throws {
        let printer = Printer(
            name: name, kinds: Set(takes), byteLimit: limit, ledger: Ledger("\(out)/\(name).txt"))
        try await WorkerProcess(mount: below) { printer }.run()
    }
}

extension FileKind: ExpressibleByArgument {}

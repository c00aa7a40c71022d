// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import PrintShopEvents

@main
struct PrintShopPrinter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-printer",
        abstract: "Prints suitable files; other files continue up the tree.")

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

    func run() async {
        let printer = Printer(
            name: name, kinds: Set(takes), byteLimit: limit, ledger: Ledger("\(out)/\(name).txt"))
        await WorkerProcess(mount: below) { printer }.main()
    }
}

extension FileKind: ExpressibleByArgument {}

/// A printer, which prints suitable jobs and passes the others on to the nodes above. Its settings may
/// change at any time.
struct Printer: NodeConvertible {
    let name: String
    let kinds: Set<FileKind>
    let byteLimit: Int
    let ledger: Ledger

    @Environment(\.triggerEvent) var triggerEvent
    @Environment(\.prefer) var prefer
    @Environment(\.paperSize) var paperSize
    @Environment(\.acceptedPaperSizes) var acceptedPaperSizes
    @Environment(\.maximumByteCount) var maximumByteCount
    @Environment(\.maximumCopies) var maximumCopies
    @Environment(\.refusedKinds) var refusedKinds
    @Environment(\.allowsColour) var allowsColour
    @Environment(\.isDuplex) var isDuplex
    @Environment(\.verifiesFiles) var verifiesFiles

    var node: Node {
        Node(name).receive(PrintJob.self) { job in
            guard accepts(job) else {
                return .notHandled
            }
            try await verify(job)
            try ledger.append(
                "\(name) printed \(job.title): \(job.byteCount) bytes, crc32 \(job.crc32), "
                    + "\(job.copies) copies\(manner)")
            try await triggerEvent(JobPrinted(job, by: name))
            return .handled
        }
    }

    private func accepts(_ job: PrintJob) -> Bool {
        kinds.contains(job.kind) && !refusedKinds.contains(job.kind)
            && (allowsColour || !job.kind.isPicture)
            && job.byteCount <= min(byteLimit, maximumByteCount) && job.copies <= maximumCopies
            && acceptedPaperSizes.contains(paperSize)
    }

    /// The paper size and sides, as text, if they differ from the default.
    private var manner: String {
        (paperSize == "a4" ? "" : ", on \(paperSize)") + (isDuplex ? ", on both sides" : "")
    }

    /// Verifies a file. After a changed file, the printer counts as faulty until a file is unchanged.
    ///
    /// A healthy printer offers no value, because its value would replace those of the printers below it.
    private func verify(_ job: PrintJob) async throws {
        guard verifiesFiles else {
            return
        }
        do {
            try job.verify()
        } catch {
            try await prefer(HealthKey.self, 0.5)
            throw error
        }
        try await prefer.withdraw(HealthKey.self)
    }
}

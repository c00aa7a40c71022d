// SPDX-License-Identifier: Apache-2.0

import Cascade
import PrintShopEvents

/// A printer, which prints suitable jobs and passes the others on to the nodes above. Its settings
/// may change while it runs.
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
            guard takes(job) else {
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

    private func takes(_ job: PrintJob) -> Bool {
        kinds.contains(job.kind) && !refusedKinds.contains(job.kind)
            && (allowsColour || !job.kind.isPicture)
            && job.byteCount <= min(byteLimit, maximumByteCount) && job.copies <= maximumCopies
            && acceptedPaperSizes.contains(paperSize)
    }

    /// The deviations from the usual printing, as text.
    private var manner: String {
        (paperSize == "a4" ? "" : ", on \(paperSize)") + (isDuplex ? ", on both sides" : "")
    }

    /// Verifies a file. A printer that received a changed file is faulty until a file is correct
    /// again.
    ///
    /// A healthy printer offers no value, because its value would replace those of the printers
    /// below it.
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

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import PrintShopEvents

@main
struct PrintShopFloor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-floor",
        abstract: "Holds the node above all printers, and prints by hand the files that no printer "
            + "accepts.")

    @Option(help: "Directory of the ledgers.")
    var out: String

    func run() async {
        await WorkerProcess { Floor(directory: out) }.main()
    }
}

/// The shop's floor. It counts and announces printed files, prints by hand the files that no printer
/// accepts, and records the health of its printers.
struct Floor: NodeConvertible {
    let directory: String

    @Environment(\.publisher) var publisher
    @Environment(\.announces) var announces
    @Environment(\.readyText) var readyText
    @Environment(\.byHandText) var byHandText
    @Environment(\.doesByHand) var doesByHand

    var node: Node {
        Node("shop")
            .receive(PrintJob.self) { job in
                guard doesByHand, job.kind != .program, job.byteCount > 0 else {
                    return .notHandled
                }
                try job.verify()
                try ledger("by-hand").append("\(job.title): \(job.byteCount) bytes, \(job.kind)")
                try await announce(byHandText, job.title)
                return .handled
            }
            .handle(JobPrinted.self) { printed in
                try ledger("tally").append(
                    "\(printed.printer) \(printed.copies) x \(printed.title)")
                try await announce(readyText, printed.title)
            }
            .onPreferenceChange(HealthKey.self) { health in
                try ledger("health").append("\(health)")
            }
    }

    /// Publishes an announcement without waiting for a display.
    private func announce(_ text: String, _ title: String) async throws {
        guard announces else {
            return
        }
        let words = text.split(separator: "{title}", omittingEmptySubsequences: false)
        try await publisher(for: Announcement.self)
            .emit(Announcement(words.joined(separator: title)))
    }

    private func ledger(_ name: String) -> Ledger {
        Ledger("\(directory)/\(name).txt")
    }
}

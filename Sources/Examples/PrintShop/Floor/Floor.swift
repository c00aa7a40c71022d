// SPDX-License-Identifier: Apache-2.0

import Cascade
import PrintShopEvents

/// The shop itself: it counts what is printed, has it announced, and does the rest by hand.
struct Floor: NodeConvertible {
    let directory: String

    @Environment(\.publisher) var publisher

    var node: Node {
        Node("shop")
            .receive(PrintJob.self) { job in
                guard job.kind != .program, job.byteCount > 0 else {
                    return .notHandled
                }
                try job.verify()
                try ledger("by-hand").append("\(job.title): \(job.byteCount) bytes, \(job.kind)")
                try await announce("\(job.title) is being done by hand")
                return .handled
            }
            .handle(JobPrinted.self) { printed in
                try ledger("tally").append(
                    "\(printed.printer) \(printed.copies) x \(printed.title)")
                try await announce("\(printed.title) is ready")
            }
    }

    /// Nobody waits for a display.
    private func announce(_ text: String) async throws {
        try await publisher(for: Announcement.self).emit(Announcement(text))
    }

    private func ledger(_ name: String) -> Ledger {
        Ledger("\(directory)/\(name).txt")
    }
}

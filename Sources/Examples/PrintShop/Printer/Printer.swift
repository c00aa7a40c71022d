// SPDX-License-Identifier: Apache-2.0

import Cascade
import PrintShopEvents

/// A printer: it prints the jobs that suit it and passes the others on to whoever stands above it.
struct Printer: NodeConvertible {
    let name: String
    let kinds: Set<FileKind>
    let byteLimit: Int
    let ledger: Ledger

    @Environment(\.triggerEvent) var triggerEvent

    var node: Node {
        Node(name).receive(PrintJob.self) { job in
            guard kinds.contains(job.kind), job.byteCount <= byteLimit else {
                return .notHandled
            }
            try job.verify()
            try ledger.append(
                "\(name) printed \(job.title): \(job.byteCount) bytes, crc32 \(job.crc32), "
                    + "\(job.copies) copies")
            try await triggerEvent(JobPrinted(job, by: name))
            return .handled
        }
    }
}

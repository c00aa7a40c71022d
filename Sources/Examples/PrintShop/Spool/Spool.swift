// SPDX-License-Identifier: Apache-2.0

import Cascade
import PrintShopEvents

/// Where files come in: each becomes an event, and the event's outcome decides where the file ends.
///
/// A file stays where it is until its outcome is known: whatever happens to this process, the next
/// one finds it there.
struct Spool: NodeConvertible {
    let directory: SpoolDirectory
    let copies: Int

    @Environment(\.triggerEvent) var triggerEvent

    var node: Node {
        Node("spool").task {
            // The watch comes first, so that no file falls between it and the list.
            let watch = try DirectoryWatch(directory.path)
            for name in try directory.waiting() {
                try await take(name)
            }
            for await arrival in watch.arrivals {
                try await take(arrival)
            }
        }
    }

    private func take(_ name: String) async throws {
        guard directory.isWaiting(name) else {
            return
        }
        let job = try PrintJob(readingFileAt: directory.path(of: name), copies: copies)
        switch try await triggerEvent(job).outcome {
        case .handled:
            try directory.move(name, to: .done, as: directory.unusedName(for: name, in: .done))
        case .unhandled: try reject(name, "nobody takes it (\(job.kind), \(job.byteCount) bytes)")
        case .failed(let failure), .caught(let failure, _), .rejected(let failure),
            .looped(let failure):
            try reject(name, "\(failure)")
        case .timedOut(let node): try reject(name, "\(node) did not answer in time")
        }
    }

    /// The reason is there before the file is.
    private func reject(_ name: String, _ reason: String) throws {
        let rejected = directory.unusedName(for: name, in: .rejected)
        try Ledger(directory.path(of: "\(rejected).reason", in: .rejected))
            .append("\(name): \(reason)")
        try directory.move(name, to: .rejected, as: rejected)
    }
}

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
    @Environment(\.changes) var changes
    @Environment(\.isOpen) var isOpen
    @Environment(\.copies) var copiesWanted
    @Environment(\.deadlineSeconds) var deadlineSeconds
    @Environment(\.holdSeconds) var holdSeconds
    @Environment(\.retries) var retries

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
        .onChange(of: \.isOpen, initial: true) { _, isOpen in
            try directory.show(isClosed: !isOpen)
        }
    }

    private func take(_ name: String) async throws {
        await opening()
        guard directory.isWaiting(name) else {
            return
        }
        switch try await outcome(name) {
        case .handled:
            try directory.move(name, to: .done, as: directory.unusedName(for: name, in: .done))
        case .unhandled: try reject(name, "nobody takes it (\(try kindAndSize(of: name)))")
        case .failed(let failure), .caught(let failure, _), .rejected(let failure),
            .looped(let failure):
            try reject(name, "\(failure)")
        case .timedOut(let node): try reject(name, "\(node) did not answer in time")
        }
    }

    /// Waits while the shop is closed.
    private func opening() async {
        guard !isOpen else {
            return
        }
        let changes = changes(of: \.isOpen)
        // It may have opened before the changes were followed.
        guard !isOpen else {
            return
        }
        for await (_, isOpen) in changes where isOpen {
            return
        }
    }

    /// How a file's event ends; after a failure it is tried again, so many times.
    private func outcome(_ name: String) async throws -> Outcome {
        var failureCount = 0
        while true {
            let job = try PrintJob(
                readingFileAt: directory.path(of: name),
                copies: copiesWanted > 0 ? copiesWanted : copies)
            let raised = try await triggerEvent(
                job, deadline: deadlineSeconds > 0 ? .seconds(deadlineSeconds) : nil,
                hold: holdSeconds > 0 ? .seconds(holdSeconds) : nil)
            let outcome = try await raised.outcome
            switch outcome {
            case .failed, .caught, .timedOut:
                guard failureCount < retries else {
                    return outcome
                }
                failureCount += 1
            default:
                return outcome
            }
        }
    }

    private func kindAndSize(of name: String) throws -> String {
        let summary = try FileSummary(readingFileAt: directory.path(of: name))
        return "\(summary.kind), \(summary.byteCount) bytes"
    }

    /// The reason is there before the file is.
    private func reject(_ name: String, _ reason: String) throws {
        let rejected = directory.unusedName(for: name, in: .rejected)
        try Ledger(directory.path(of: "\(rejected).reason", in: .rejected))
            .append("\(name): \(reason)")
        try directory.move(name, to: .rejected, as: rejected)
    }
}

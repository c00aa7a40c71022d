// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import FoundationEssentials
import PrintShopEvents

@main
struct PrintShopSpool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-spool",
        abstract: "Prints each file that is moved into a directory.",
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
        await WorkerProcess(mount: below) { Spool(directory: directory, copies: copies) }.main()
    }
}

/// The spool. It triggers an event for each file; the outcome decides the file's tray.
///
/// A file stays in the directory until its event has an outcome, so a new process finds it after a crash.
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
            // The watch begins before the list is read, so that no file is missed between them.
            let watch = try DirectoryWatch(directory.path)
            for name in try directory.waiting() {
                try await process(name)
            }
            for await arrival in watch.arrivals {
                try await process(arrival)
            }
        }
        .onChange(of: \.isOpen, initial: true) { _, isOpen in
            try directory.show(isClosed: !isOpen)
        }
    }

    /// Triggers the event of a file, and moves the file according to the outcome.
    private func process(_ name: String) async throws {
        await waitUntilOpen()
        guard directory.isWaiting(name) else {
            return
        }
        switch try await outcome(name) {
        case .handled:
            try directory.move(name, to: .done, as: directory.unusedName(for: name, in: .done))
        case .unhandled: try reject(name, "no node accepts it (\(try kindAndSize(of: name)))")
        case .failed(let failure), .caught(let failure, _), .rejected(let failure),
            .looped(let failure):
            try reject(name, "\(failure)")
        case .timedOut(let node): try reject(name, "\(node) did not answer in time")
        }
    }

    /// Waits while the shop is closed.
    private func waitUntilOpen() async {
        guard !isOpen else {
            return
        }
        let changes = changes(of: \.isOpen)
        // The shop may have opened before the stream of changes began.
        guard !isOpen else {
            return
        }
        for await (_, isOpen) in changes where isOpen {
            return
        }
    }

    /// Returns the outcome of a file's event, after a limited number of retries.
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

    /// Moves a file to the rejected ones, after it has written the reason.
    private func reject(_ name: String, _ reason: String) throws {
        let rejected = directory.unusedName(for: name, in: .rejected)
        try Ledger(directory.path(of: "\(rejected).reason", in: .rejected))
            .append("\(name): \(reason)")
        try directory.move(name, to: .rejected, as: rejected)
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON
import Glibc
import Synchronization

/// Records the bus's monitor events.
struct Capture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record the bus's events in a file, for 'replay'.",
        discussion: """
            Writes one JSON line per bus event, in the format of 'monitor --payloads --json' and \
            with the trail of each message that ended, until interrupted. At the beginning, and \
            after each 4 MiB, a line has the whole tree, the values and the undelivered messages, \
            so that 'cascade-console --capture' can show any moment. The file contains payloads of \
            all users and is created with mode 0600.

            Example: cascadectl capture monday.jsonl --path '/kitchen*'
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var filterOptions: MonitorFilterOptions

    @Argument(help: "File to create; an existing file is refused.", completion: .file())
    var file: String

    func run() async throws {
        var filter = filterOptions.filter
        filter.withPayloads = true
        let bus = try await Bus.open(bus)
        let file = try CaptureFile(creating: file, bus: bus.welcome.bus)
        try await bus.watchingConnection { connection in
            Output.diagnostic(connection.text(Style(isColoured: false)))
            // An error is thrown when the next monitor event is written.
            try? file.append(connection.json)
        } _: { [filter] bus in
            // What happens while the bus tells a keyframe is recorded behind it.
            let raised = try await bus.link.answers(.monitor(filter))
            var ended: AsyncThrowingMapSequence<AsyncStream<[UInt8]>, [UInt8]>?
            if let filter = filter.ofEnds {
                ended = try await bus.link.answers(.monitor(filter))
            }
            try await file.append(keyframeOf: bus)
            Output.diagnostic("recording to \(file.path.safeForTerminal) until interrupted")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await message in raised {
                        let document = try ReceivedDocument<MonitorEventDocument>(parsing: message)
                        if !document.content.isEnd {
                            try file.append(document.json)
                        }
                        if file.isKeyframeDue {
                            try await file.append(keyframeOf: bus)
                        }
                    }
                }
                if let ended {
                    group.addTask { try await Self.record(ended, in: file) }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    /// Records the ends of messages.
    private static func record(
        _ answers: AsyncThrowingMapSequence<AsyncStream<[UInt8]>, [UInt8]>, in file: CaptureFile
    ) async throws {
        for try await message in answers {
            let document = try ReceivedDocument<MonitorEventDocument>(parsing: message)
            if document.content.isEnd {
                try file.append(document.json)
            }
        }
    }
}

extension MonitorFilter {
    /// The same messages, told at their ends with their trails; `nil` without messages. Their payloads are
    /// told when they are raised, before a node has changed them.
    fileprivate var ofEnds: MonitorFilter? {
        var filter = self
        let messages: [MonitorEventKind] = [.event, .error, .publish]
        filter.kinds = kinds.isEmpty ? messages : kinds.filter { messages.contains($0) }
        guard !filter.kinds.isEmpty else {
            return nil
        }
        filter.withPayloads = false
        filter.withTrails = true
        return filter
    }
}

extension MonitorEventDocument {
    /// Whether it tells the end of a message.
    fileprivate var isEnd: Bool {
        what == "ended" || what == "delivered"
    }
}

// MARK: - The file

/// The file of a capture: a line with its schema, then one line for each monitor event, change of the
/// connection, or keyframe.
final class CaptureFile: Sendable {
    static let schema = "cascade/v1/capture"
    static let keyframeSchema = "keyframe"
    /// The number of bytes after which another keyframe is due.
    private static let keyframeByteCount = 4 << 20

    let path: String
    /// Never closed: a capture ends with its process.
    private let descriptor: Int32
    /// The bytes since the last keyframe.
    private let byteCount = Mutex(0)

    /// Creates a file. Throws ``Stop`` if it exists.
    init(creating path: String, bus: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Stop.cannotCreate(path, errno)
        }
        try append(.document("capture", ["bus": .string(bus), "when": .text(Timestamp.now)]))
    }

    /// Appends a line.
    func append(_ line: JSONValue) throws {
        let bytes = Array((line.text + "\n").utf8)
        try byteCount.withLock { count in
            // One write for each line, so that the file ends with a whole line.
            guard write(descriptor, bytes, bytes.count) == bytes.count else {
                throw Self.failure(path)
            }
            count += bytes.count
        }
    }

    // MARK: - Keyframes

    /// Whether so much has been written that another keyframe is due.
    var isKeyframeDue: Bool {
        byteCount.withLock { $0 >= Self.keyframeByteCount }
    }

    /// Appends what the bus is now: its tree, the values that its root reads, and the undelivered messages.
    /// The capture of a user who may not inspect the root has no such line.
    func append(keyframeOf bus: Bus) async throws {
        do {
            try append(await keyframe(of: bus))
        } catch let error as CascadeError where error.reason == .denied {
            Output.diagnostic("the file has no tree: \(error.message)".safeForTerminal)
        }
        byteCount.withLock { $0 = 0 }
    }

    private func keyframe(of bus: Bus) async throws -> JSONValue {
        let now = Timestamp.now
        let tree = try TreeAnswer(parsing: await bus.query(.tree(path: .root, depth: .max)))
        let nodes = bus.entries(tree.nodes, now: now).map(\.whole)
        let environment = try ReceivedDocument<EnvironmentDocument>(
            parsing: await bus.query(.environment(path: .root, key: nil)))
        let undelivered = try ReceivedDocument<UndeliveredDocument>(
            parsing: await bus.query(.undelivered))
        return .document(
            Self.keyframeSchema,
            [
                "when": .text(now),
                "tree": TreeDocument(bus: bus.name, nodes: nodes).json,
                "environment": environment.json, "undelivered": undelivered.json,
            ])
    }

    // MARK: - Reading

    /// Returns the documents after the first line of a file. Throws ``Stop`` if the file is not a
    /// capture.
    static func documents(_ path: String) throws -> [JSONValue] {
        let lines = try InputFile(path: path).read().split(separator: UInt8(ascii: "\n"))
        let documents = try lines.enumerated().map { number, line in
            do throws(JSONError) {
                return try JSONValue(parsing: line)
            } catch {
                throw Stop(.badData, "\(path):\(number + 1):1: not a line of a capture: \(error)")
            }
        }
        guard documents.first?["schema"]?.string == schema else {
            throw Stop(.badData, "\(path) is not a capture: it does not begin with '\(schema)'")
        }
        return Array(documents.dropFirst())
    }

    private static func failure(_ path: String) -> Stop {
        Stop(.failure, "cannot write \(path): \(ErrorNumber(errno))")
    }
}

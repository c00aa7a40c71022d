// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON
import Glibc

/// Records the bus's monitor events.
struct Capture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record the bus's events in a file, for 'replay'.",
        discussion: """
            Writes one JSON line per bus event, in the format of 'monitor --payloads --json', \
            until interrupted. The file contains payloads of all users and is created with mode \
            0600.

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
        let append = try CaptureFile.create(file, bus: bus.welcome.bus)
        try await bus.watchingConnection { connection in
            Output.diagnostic(connection.text(Style(isColoured: false)))
            // An error is thrown when the next monitor event is written.
            try? append(connection.json)
        } _: { [filter] bus in
            let answers = try await bus.answers(.monitor(filter))
            Output.diagnostic("recording to \(file.safeForTerminal) until interrupted")
            for try await message in answers {
                try append(ReceivedDocument<MonitorEventDocument>(parsing: message).json)
            }
        }
    }
}

// MARK: - The file

/// The file of a capture: a line with its schema, then one line for each monitor event or change of
/// the connection.
enum CaptureFile {
    static let schema = "cascade/v1/capture"

    /// Creates a file, and returns a function that appends a line. Throws ``Stop`` if the file
    /// exists.
    static func create(_ path: String, bus: String) throws -> @Sendable (JSONValue) throws -> Void {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Stop.cannotCreate(path, errno)
        }
        // The descriptor is never closed: a capture ends with its process.
        let append: @Sendable (JSONValue) throws -> Void = { line in
            let bytes = Array((line.text + "\n").utf8)
            // One write for each line, so that the file ends with a whole line.
            guard write(descriptor, bytes, bytes.count) == bytes.count else {
                throw failure(path)
            }
        }
        try append(
            .document(
                "capture", ["bus": .string(bus), "when": .text(Timestamp.now)]))
        return append
    }

    /// Returns the documents after the first line of a file. Throws ``Stop`` if the file is not a
    /// capture.
    static func documents(_ path: String) throws -> [JSONValue] {
        let lines = try InputFile(path: path).read().split(separator: UInt8(ascii: "\n"))
        let documents = try lines.enumerated().map { number, line in
            do throws(JSONError) {
                return try JSONValue(parsing: line)
            } catch {
                throw Stop(.badData, "\(path):\(number + 1): not a line of a capture: \(error)")
            }
        }
        guard documents.first?["schema"]?.string == schema else {
            throw Stop(.badData, "\(path) is not a capture: it does not begin with '\(schema)'")
        }
        return Array(documents.dropFirst())
    }

    private static func failure(_ path: String) -> Stop {
        Stop(.failure, "cannot write \(path): \(String(cString: strerror(errno)))")
    }
}

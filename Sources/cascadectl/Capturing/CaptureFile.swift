// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import Glibc

/// What has happened on a bus, as a file keeps it: a line that says so, then a line for each
/// happening, as the monitor tells it.
enum CaptureFile {
    static let schema = "cascade/v1/capture"

    /// Begins a file, and returns where its lines go. Throws ``Stop`` if there is one already.
    static func create(_ path: String, bus: String) throws -> @Sendable (JSONValue) throws -> Void {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw failure(path)
        }
        // The file is open until the process ends: a capture is interrupted, it has no other end.
        let append: @Sendable (JSONValue) throws -> Void = { line in
            let bytes = Array((line.text + "\n").utf8)
            // One write for each line, so that an interruption leaves whole ones.
            guard write(descriptor, bytes, bytes.count) == bytes.count else {
                throw failure(path)
            }
        }
        try append(
            .document(
                "capture", ["bus": .string(bus), "when": .text(Timestamp.now)]))
        return append
    }

    /// The happenings in a file. Throws ``Stop`` if it is no capture.
    static func happenings(_ path: String) throws -> [JSONValue] {
        let lines = try InputFile(path: path).read().split(separator: UInt8(ascii: "\n"))
        let documents = try lines.enumerated().map { number, line in
            do throws(JSONError) {
                return try JSONValue(parsing: line)
            } catch {
                throw Stop(.badData, "\(path):\(number + 1): no line of a capture: \(error)")
            }
        }
        guard documents.first?["schema"]?.string == schema else {
            throw Stop(.badData, "\(path) is no capture: it does not begin with '\(schema)'")
        }
        return Array(documents.dropFirst())
    }

    private static func failure(_ path: String) -> Stop {
        Stop(.failure, "cannot write \(path): \(String(cString: strerror(errno)))")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import Glibc

/// The file format of a capture: a header line, then one line for each monitor event.
enum CaptureFile {
    static let schema = "cascade/v1/capture"

    /// Creates a file, and returns a function that appends a line. Throws ``Stop`` if the file
    /// exists.
    static func create(_ path: String, bus: String) throws -> @Sendable (JSONValue) throws -> Void {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw failure(path)
        }
        // The file stays open until the process is interrupted, which is the end of every capture.
        let append: @Sendable (JSONValue) throws -> Void = { line in
            let bytes = Array((line.text + "\n").utf8)
            // One write for each line, so that an interruption leaves whole lines.
            guard write(descriptor, bytes, bytes.count) == bytes.count else {
                throw failure(path)
            }
        }
        try append(
            .document(
                "capture", ["bus": .string(bus), "when": .text(Timestamp.now)]))
        return append
    }

    /// Returns the monitor events in a file. Throws ``Stop`` if the file is not a capture.
    static func happenings(_ path: String) throws -> [JSONValue] {
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

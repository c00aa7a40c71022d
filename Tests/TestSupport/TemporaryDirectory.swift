// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A temporary directory of a test. It is removed with the value.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Creates the directory. Throws an error of the file system.
    package init() throws {
        let directory = FileManager.default.temporaryDirectory
        path = directory.appending(path: "cascade-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // If the directory cannot be removed, it remains for the system's cleanup.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file atomically. Returns its path.
    @discardableResult
    package func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }

    /// Returns the lines of a file, without empty ones.
    package func lines(of name: String) throws -> [String] {
        let text = try String(contentsOf: URL(filePath: "\(path)/\(name)"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }
}

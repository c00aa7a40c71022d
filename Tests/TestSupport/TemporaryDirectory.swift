// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A directory of a test's own, removed with the test.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        let directory = FileManager.default.temporaryDirectory
        path = directory.appending(path: "cascade-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A directory that cannot be removed is left to the system.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file atomically and returns its path.
    @discardableResult
    package func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }

    package func lines(of name: String) throws -> [String] {
        let text = try String(contentsOf: URL(filePath: "\(path)/\(name)"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `systemd-analyze`, which does not require a running systemd.
enum Analyzer {
    private static let path = "/usr/bin/systemd-analyze"

    static var exists: Bool {
        FileManager.default.isExecutableFile(atPath: path)
    }

    static func run(
        _ arguments: [String], runtimeDirectory: String? = nil
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SYSTEMD_COLORS": "0"]) { _, new in new }
        process.environment?["XDG_RUNTIME_DIR"] = runtimeDirectory
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}

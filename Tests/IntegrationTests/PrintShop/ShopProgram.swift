// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program of the package in a process of its own, and its standard error.
final class ShopProgram: Sendable {
    private let process = Process()
    private let said: AsyncStream<String>
    private let ended: AsyncStream<Int32>

    /// Starts a program that was built beside the tests.
    ///
    /// - Parameter output: the file for its standard output, in the directory.
    init(
        _ name: String, _ arguments: [String], in directory: String, bus: String,
        output: String? = nil
    ) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(filePath: tests).deletingLastPathComponent()
            .appending(path: name)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: directory)
        process.environment = ProcessInfo.processInfo.environment
            .merging(["CASCADE_BUS": bus]) { _, bus in bus }
        let (said, saying) = AsyncStream.makeStream(of: String.self)
        let pipe = Pipe()
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                saying.finish()
                return
            }
            saying.yield(String(decoding: data, as: UTF8.self))
        }
        process.standardError = pipe
        if let output {
            let file = URL(filePath: "\(directory)/\(output)")
            try Data().write(to: file)
            process.standardOutput = try FileHandle(forWritingTo: file)
        }
        let (ended, ending) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            ending.yield(process.terminationStatus)
            ending.finish()
        }
        self.said = said
        self.ended = ended
        try process.run()
    }

    /// Waits until the program has printed something. Returns `false` if it ends without.
    func says(_ words: String) async -> Bool {
        var text = ""
        for await piece in said {
            text += piece
            if text.contains(words) {
                return true
            }
        }
        return false
    }

    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Waits until the program ends. Must be called once.
    func exitCode() async -> Int32? {
        await ended.first { _ in true }
    }
}

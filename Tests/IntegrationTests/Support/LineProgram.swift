// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A program in a process of its own, and the lines of both of its outputs.
actor LineProgram {
    private let process = Process()
    private let pieces: AsyncStream<Data>
    private let endings: AsyncStream<Int32>
    /// Lines that no test has read yet.
    private var unread = Data()

    init(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
        let (pieces, writing) = AsyncStream.makeStream(of: Data.self)
        let (endings, ending) = AsyncStream.makeStream(of: Int32.self)
        self.pieces = pieces
        self.endings = endings
        let pipe = Pipe()
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                writing.finish()
                return
            }
            writing.yield(data)
        }
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment) { _, new in new }
        process.standardOutput = pipe
        process.standardError = pipe
        process.terminationHandler = { process in
            ending.yield(process.terminationStatus)
            ending.finish()
        }
        try process.run()
    }

    /// A program that was built beside the tests.
    static func built(_ name: String) throws -> URL {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent().appending(path: name)
    }

    /// Lets a test use the program, and then stops it: it must exit without an error.
    func use(_ test: (LineProgram) async throws -> Void) async throws {
        do {
            try await test(self)
        } catch {
            signal(SIGKILL)
            throw error
        }
        signal(SIGTERM)
        #expect(await exitCode() == 0, "\(process.arguments ?? []) did not end well")
    }

    /// Waits for a line that contains all of the words, and skips those before it.
    @discardableResult
    func line(with words: String...) async throws -> String {
        var skipped: [String] = []
        while true {
            while let line = nextLine() {
                if words.allSatisfy(line.contains) {
                    return line
                }
                skipped.append(line)
            }
            let piece = await pieces.first { _ in true }
            unread += try #require(
                piece, "no line contains \(words); the last are \(skipped.suffix(5))")
        }
    }

    private func nextLine() -> String? {
        guard let end = unread.firstIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
    }

    private func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Waits until the program ends. Must be called once.
    func exitCode() async -> Int32? {
        await endings.first { _ in true }
    }
}

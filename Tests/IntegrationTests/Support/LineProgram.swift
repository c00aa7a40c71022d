// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A program as a process of its own, and the lines that it writes to either output.
actor LineProgram {
    private let process = Process()
    private let pieces: AsyncStream<Data>
    private let endings: AsyncStream<Int32>
    /// What has been written, and not been looked at.
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

    /// Lets a test use the program, and then asks it to end: it has to do so without an error.
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

    /// Waits for a line in which all of the words stand, and passes over those before it.
    @discardableResult
    func line(with words: String...) async throws -> String {
        while true {
            while let line = nextLine() {
                if words.allSatisfy(line.contains) {
                    return line
                }
            }
            let piece = await pieces.first { _ in true }
            unread += try #require(piece, "no line with \(words) came")
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

    /// Waits for the program's end. To be called once.
    func exitCode() async -> Int32? {
        await endings.first { _ in true }
    }
}

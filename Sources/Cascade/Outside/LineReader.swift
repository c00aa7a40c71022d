// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// A reader of lines from a file descriptor, which reads no further than the lines requested need.
///
/// For one task at a time.
struct LineReader: ~Copyable {
    private let descriptor: Int32
    /// The pipe that ends a waiting read.
    private let wakeUp: (reader: Int32, writer: Int32)
    private var lines = LineSplitter()
    private var isAtEnd = false

    /// Throws ``SystemCallError`` if no descriptors are available.
    init(_ descriptor: Int32) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw SystemCallError("pipe")
        }
        self.descriptor = descriptor
        wakeUp = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(wakeUp.reader)
        close(wakeUp.writer)
    }

    /// Returns the next line without its line feed; `nil` at the end of the input, or if the task
    /// is cancelled. Throws ``SystemCallError``.
    mutating func next() async throws -> String? {
        while true {
            if let line = lines.next() {
                return line
            }
            guard !isAtEnd, !Task.isCancelled else {
                let rest = lines.rest()
                return Task.isCancelled ? nil : rest
            }
            let chunk = try await Self.read(descriptor, wakeUp)
            isAtEnd = chunk.isEmpty
            lines.append(chunk)
        }
    }

    /// Waits for input on a thread of its own, and returns the available bytes; empty at the end of
    /// the input, or if the task is cancelled.
    private static func read(
        _ descriptor: Int32, _ wakeUp: (reader: Int32, writer: Int32)
    ) async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try OwnThread.detached {
                        continuation.resume(
                            with: Result { try blockingRead(descriptor, wakeUp.reader) })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            _ = write(wakeUp.writer, [0], 1)
        }
    }

    /// Blocks until input is available or `wakeUp` is readable.
    private static func blockingRead(_ descriptor: Int32, _ wakeUp: Int32) throws -> [UInt8] {
        var ready = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard poll(&ready, nfds_t(ready.count), -1) >= 0 || errno == EINTR else {
                throw SystemCallError("poll")
            }
            if ready[1].revents != 0 {
                return []
            }
            if ready[0].revents != 0 {
                break
            }
        }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        guard count >= 0 else {
            throw SystemCallError("read")
        }
        return Array(chunk[..<count])
    }
}

/// Splits bytes that arrive in chunks into lines.
package struct LineSplitter: ~Copyable {
    private var bytes: [UInt8] = []
    /// The index of the next line's first byte.
    private var start = 0
    /// The end of the bytes in which no line feed was found.
    private var searched = 0

    package init() {}

    package mutating func append(_ chunk: some Collection<UInt8>) {
        bytes.removeSubrange(..<start)
        searched -= start
        start = 0
        bytes += chunk
    }

    /// Removes and returns the next line, without its line feed; `nil` until it is complete.
    package mutating func next() -> String? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        start = end + 1
        searched = start
        return line
    }

    /// Removes and returns the text after the last line feed; `nil` if there is none.
    package mutating func rest() -> String? {
        defer {
            bytes = []
            start = 0
            searched = 0
        }
        return start == bytes.count ? nil : String(decoding: bytes[start...], as: UTF8.self)
    }
}

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

    /// Returns available bytes, at least one; none at the end of the input, or if the task is
    /// cancelled.
    private static func read(
        _ descriptor: Int32, _ wakeUp: (reader: Int32, writer: Int32)
    ) async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try OwnThread.detached {
                        continuation.resume(
                            with: Result { try readNow(descriptor, wakeUp.reader) })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            _ = write(wakeUp.writer, [0], 1)
        }
    }

    private static func readNow(_ descriptor: Int32, _ wakeUp: Int32) throws -> [UInt8] {
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

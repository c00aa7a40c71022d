// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// What waits for a directory's events, on a thread of its own.
final class DirectoryReader: Sendable {
    private let descriptor: Int32
    private let arrivals: AsyncStream<String>.Continuation

    init(_ descriptor: Int32, _ arrivals: AsyncStream<String>.Continuation) {
        self.descriptor = descriptor
        self.arrivals = arrivals
    }

    /// Starts the thread, which ends when the directory is no longer watched.
    func start() throws {
        try OwnThread.detached { self.run() }
    }

    private func run() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isWatched = true
        while isWatched {
            let count = read(descriptor, &buffer, buffer.count)
            isWatched = count > 0 ? take(buffer[..<count]) : count < 0 && errno == EINTR
        }
        arrivals.finish()
        close(descriptor)
    }

    /// Passes on the names in some events. Returns `false` with the last event of a watch.
    ///
    /// An event without a name says that the kernel had to drop some, after more than ten thousand
    /// that nobody had read: whoever cares looks into the directory from time to time.
    private func take(_ events: ArraySlice<UInt8>) -> Bool {
        var rest = events
        while !rest.isEmpty {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            guard event.mask & UInt32(IN_IGNORED) == 0 else {
                return false
            }
            rest = rest.dropFirst(MemoryLayout<inotify_event>.size)
            let name = rest.prefix(Int(event.len)).prefix { $0 != 0 }
            if !name.isEmpty {
                arrivals.yield(String(decoding: name, as: UTF8.self))
            }
            rest = rest.dropFirst(Int(event.len))
        }
        return true
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The reader of a directory's inotify events, on its own thread.
final class DirectoryReader: Sendable {
    private let descriptor: Int32
    private let arrivals: AsyncStream<String>.Continuation

    init(_ descriptor: Int32, _ arrivals: AsyncStream<String>.Continuation) {
        self.descriptor = descriptor
        self.arrivals = arrivals
    }

    /// Starts the thread, which ends when the watch is removed.
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

    /// Yields the names in a batch of events. Returns `false` after the last event of a watch.
    ///
    /// An event without a name reports that the kernel dropped events after a queue of more than
    /// ten thousand. Programs that need every file scan the directory from time to time.
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

// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import ZeroMQ

/// The names of the files that arrive in a directory complete: written and closed, or moved into
/// it.
///
/// A separate thread waits for inotify events. It ends with the stream.
public struct DirectoryWatch: Sendable {
    /// The names in the order of their arrival, for one reader. The stream ends when the directory is
    /// removed.
    public let arrivals: AsyncStream<String>

    /// Starts the watch. Throws ``SystemCallError`` if the directory does not exist.
    public init(_ directory: String) throws {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else {
            throw SystemCallError("inotify_init1")
        }
        let wanted = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR)
        let watch = inotify_add_watch(descriptor, directory, wanted)
        guard watch >= 0 else {
            let error = SystemCallError("watch \(directory)")
            close(descriptor)
            throw error
        }
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        arrivals = stream
        let reader = DirectoryReader(descriptor, watch, continuation)
        do {
            try reader.start()
        } catch {
            reader.close()
            throw error
        }
        continuation.onTermination = { _ in reader.stop() }
    }
}

/// The reader of a directory's inotify events, on its own thread.
final class DirectoryReader: Sendable {
    private let descriptor: Int32
    private let watch: Int32
    private let arrivals: AsyncStream<String>.Continuation
    /// Held while the descriptor is closed or the watch removed: a closed number may belong to another file.
    private let isClosed = Mutex(false)

    init(_ descriptor: Int32, _ watch: Int32, _ arrivals: AsyncStream<String>.Continuation) {
        self.descriptor = descriptor
        self.watch = watch
        self.arrivals = arrivals
    }

    /// Starts the thread, which ends when the watch is removed.
    func start() throws {
        try OwnThread.detached { self.run() }
    }

    /// Removes the watch. That is itself an event, which wakes the thread for the last time.
    func stop() {
        isClosed.withLock { isClosed in
            if !isClosed {
                inotify_rm_watch(descriptor, watch)
            }
        }
    }

    func close() {
        isClosed.withLock { isClosed in
            Glibc.close(descriptor)
            isClosed = true
        }
    }

    private func run() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isWatched = true
        while isWatched {
            let count = read(descriptor, &buffer, buffer.count)
            isWatched = count > 0 ? yieldNames(in: buffer[..<count]) : count < 0 && errno == EINTR
        }
        close()
        arrivals.finish()
    }

    /// Yields the names in a batch of events. Returns `false` after the last event of a watch.
    ///
    /// An event without a name reports that the kernel dropped events, because more than ten
    /// thousand were queued. Programs that need every file also scan the directory from time to
    /// time.
    private func yieldNames(in events: ArraySlice<UInt8>) -> Bool {
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

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The names of the files that arrive in a directory complete: written and closed, or moved into
/// it.
///
/// A separate thread waits for inotify events. It ends with the stream.
public struct DirectoryWatch: Sendable {
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
        do {
            try DirectoryReader(descriptor, continuation).start()
        } catch {
            close(descriptor)
            throw error
        }
        // The removal of the watch is itself an event, which wakes the thread for the last time.
        continuation.onTermination = { _ in inotify_rm_watch(descriptor, watch) }
    }
}

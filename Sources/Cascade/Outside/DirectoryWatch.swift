// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The names of the files that arrive in a directory, complete: written and closed, or moved there.
///
/// The kernel's inotify says so to a thread of its own, which sleeps until then; it ends with the
/// stream.
public struct DirectoryWatch: Sendable {
    public let arrivals: AsyncStream<String>

    /// Watches from now on. Throws ``SystemCallError`` if there is no such directory.
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
        // To remove the watch is an event too: it wakes the thread for the last time.
        continuation.onTermination = { _ in inotify_rm_watch(descriptor, watch) }
    }
}

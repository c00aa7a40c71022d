// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A pipe for one new process. No other process started meanwhile inherits its ends: it is made by
/// opening a file, because only `open` can set that flag atomically on every system.
struct InheritedPipe {
    let readEnd: Int32
    let writeEnd: Int32

    /// fcntl(2), F_SETPIPE_SZ.
    private static let setSize: Int32 = 1_031

    init() throws {
        let place = FileManager.default.temporaryDirectory
        let path = place.appending(path: "pipe-\(UUID().uuidString)").path
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        readEnd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        writeEnd = open(path, O_WRONLY | O_CLOEXEC)
        try #require(readEnd >= 0 && writeEnd >= 0)
        _ = fcntl(readEnd, F_SETFL, 0)
        // The pipe is not read while a test does something else. A smaller pipe would do for most.
        _ = fcntl(writeEnd, Self.setSize, 1 << 20)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeService
import CascadeTestSupport
import Glibc
import Testing

@testable import CascadeDaemon

/// The replacement of a lock file while another daemon may replace it too.
@Suite struct EndpointLockTests {
    private func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status
    }

    @Test func `a lock file is replaced by another file, which is not locked`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("bus.lock", [])
        let file = try status(path)
        #expect(EndpointLock.remove(file, at: path))
        #expect(try status(path).st_ino != file.st_ino)
        #expect(Folder.names(in: directory.path)?.count == 3, "another file is left")
        let descriptor = open(path, O_RDWR)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        close(descriptor)
    }

    @Test func `a lock file that another daemon has replaced stays, with its lock`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("bus.lock", [])
        let replaced = try status(path)
        #expect(rename(path, directory.path + "/replaced") == 0)
        let held = open(path, O_RDWR | O_CREAT, 0o600)
        #expect(flock(held, LOCK_EX | LOCK_NB) == 0)
        let other = try status(path)
        #expect(EndpointLock.remove(replaced, at: path))
        #expect(try status(path).st_ino == other.st_ino)
        #expect(Folder.names(in: directory.path)?.count == 4, "another file is left")
        let descriptor = open(path, O_RDWR)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        close(descriptor)
        close(held)
    }

    @Test func `a lock file that is missing is not replaced`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("bus.lock", [])
        let file = try status(path)
        #expect(unlink(path) == 0)
        #expect(EndpointLock.remove(file, at: path))
        #expect(Folder.names(in: directory.path)?.count == 2, "a file is left")
    }
}

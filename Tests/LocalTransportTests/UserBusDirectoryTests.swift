// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Glibc
import Testing

@testable import LocalTransport

/// The directory of a user's own bus.
@Suite struct UserBusDirectoryTests {
    private let temporary: TemporaryDirectory

    init() throws {
        temporary = try TemporaryDirectory()
    }

    private func directory(userID: UInt32 = geteuid(), runtime: String? = nil) -> UserBusDirectory {
        let variables = ["TMPDIR": temporary.path, "XDG_RUNTIME_DIR": runtime]
        return UserBusDirectory(userID: userID) { variables[$0] ?? nil }
    }

    @Test func `the directory is below XDG_RUNTIME_DIR if that is set`() {
        let directory = directory(runtime: "/run/user/7")
        #expect(directory.endpoint == "ipc:///run/user/7/cascade/bus.sock")
        #expect(directory.fault == nil)
    }

    @Test(arguments: [nil, ""] as [String?])
    func `otherwise it has the user's ID in the temporary directory`(runtime: String?) {
        let directory = directory(userID: 7, runtime: runtime)
        #expect(directory.path == "\(temporary.path)/cascade-7")
        #expect(UserBusDirectory(userID: 7) { _ in nil }.path == "/tmp/cascade-7")
        #expect(UserBusDirectory(userID: 7) { $0 == "TMPDIR" ? "/x/" : nil }.path == "/x/cascade-7")
    }

    @Test func `it is created for its user alone, and may exist`() throws {
        let directory = directory()
        #expect(directory.fault == nil && !directory.hasSocket)
        try directory.create()
        try directory.create()
        var status = stat()
        #expect(stat(directory.path, &status) == 0 && status.st_mode & 0o7777 == 0o700)
        creat(directory.socketPath, 0o600)
        #expect(directory.hasSocket)
    }

    @Test(arguments: [0o755, 0o770, 0o1700, 0o500] as [mode_t])
    func `another mode is a fault that the user can mend`(mode: mode_t) throws {
        let directory = directory()
        mkdir(directory.path, 0o700)
        chmod(directory.path, mode)
        let fault = try #require(directory.fault)
        #expect(fault.isOwn)
        #expect(fault.description.contains("has mode 0\(String(mode, radix: 8))"))
        #expect(throws: fault) { try directory.create() }
    }

    @Test func `a file, a link or another user's directory is not used`() throws {
        let directory = directory()
        creat(directory.path, 0o700)
        #expect(directory.fault?.isOwn == false)
        unlink(directory.path)
        symlink(temporary.path, directory.path)
        #expect(directory.fault?.description.contains("is not a directory") == true)
        let other = self.directory(userID: geteuid() + 1)
        mkdir(other.path, 0o700)
        #expect(other.fault?.isOwn == false)
        #expect(other.fault?.description.contains("belongs to user \(geteuid())") == true)
    }

    @Test func `the directory cannot be created where there is no temporary directory`() {
        let directory = UserBusDirectory(userID: 7) { $0 == "TMPDIR" ? "/nonexistent" : nil }
        #expect(throws: UserBusDirectoryFault.self) { try directory.create() }
    }
}

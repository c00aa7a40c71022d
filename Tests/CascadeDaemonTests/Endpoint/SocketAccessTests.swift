// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Testing

@testable import CascadeDaemon

/// Whether other users can open a socket, from the modes of the socket and the folders above it.
@Suite struct SocketAccessTests {
    @Test(
        arguments: [
            (0o700, 0o777, false), (0o755, 0o600, false), (0o755, 0o660, true),
            (0o750, 0o666, true), (0o711, 0o602, true), (0o755, 0o777, true),
        ] as [(UInt32, UInt32, Bool)])
    func `a socket is shared if the modes admit other users`(
        folder: UInt32, socket: UInt32, isShared: Bool
    ) throws {
        // The mode of the temporary directory must not decide.
        let number = UInt32.random(in: 0 ... .max)
        let root = "\(FileManager.default.temporaryDirectory.path)/socket-\(number)"
        try #require(mkdir(root, 0o755) == 0)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let path = root + "/bus.sock"
        let file = creat(path, 0o600)
        try #require(file >= 0)
        close(file)
        try #require(chmod(path, socket) == 0)
        try #require(chmod(root, folder) == 0)
        #expect(SocketAccess.isShared(["ipc://\(path)"]) == isShared)
        #expect(SocketAccess.isShared(["ipc://\(path)", "tcp://127.0.0.1:5000"]))
    }

    @Test(arguments: ["tcp://127.0.0.1:5000", "ipc://@cascade", "ipc:///nowhere/bus.sock"])
    func `an endpoint of unknown access counts as shared`(endpoint: String) {
        #expect(SocketAccess.isShared([endpoint]))
    }
}

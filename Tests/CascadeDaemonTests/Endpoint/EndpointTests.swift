// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Testing

@testable import CascadeDaemon

@Suite struct EndpointTests {
    @Test func `a path that a directory or another file has is refused with the reason`() throws {
        let number = UInt32.random(in: 0 ... .max)
        let root = "\(FileManager.default.temporaryDirectory.path)/endpoint-\(number)"
        try #require(mkdir(root, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let file = root + "/notes"
        let descriptor = creat(file, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        expect("ipc://\(root)", isRefusedFor: "a directory")
        expect("ipc://\(file)", isRefusedFor: "a file that is no socket")
        var status = stat()
        #expect(lstat(file, &status) == 0)
    }

    private func expect(_ endpoint: String, isRefusedFor kind: String) {
        let error = #expect(throws: EndpointError.self) { _ = try Endpoint([endpoint]) }
        #expect(
            error?.description
                == "cannot serve '\(endpoint)': \(kind) has this path already; choose the path of a "
                + "socket, which the daemon creates")
    }
}

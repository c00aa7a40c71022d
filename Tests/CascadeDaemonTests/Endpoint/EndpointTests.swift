// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import CascadeDaemon

@Suite struct EndpointTests {
    @Test func `a path that a directory or another file has is refused with the reason`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("notes", "kept\n".utf8)
        expect("ipc://\(directory.path)", isRefusedFor: "a directory")
        expect("ipc://\(file)", isRefusedFor: "a file that is no socket")
        #expect(try directory.lines(of: "notes") == ["kept"])
    }

    private func expect(_ endpoint: String, isRefusedFor kind: String) {
        let error = #expect(throws: EndpointError.self) { _ = try Endpoint([endpoint]) }
        #expect(
            error?.description
                == "cannot serve '\(endpoint)': \(kind) has this path already; choose the path of a "
                + "socket, which the daemon creates")
    }
}

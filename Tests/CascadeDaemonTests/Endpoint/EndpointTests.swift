// SPDX-License-Identifier: Apache-2.0

import CascadeService
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

    @Test(arguments: [
        "/run/bus.sock", "nonsense", "tcp://127.0.0.1", "tcp://127.0.0.1:", "tcp://[::1]",
        "tcp://127.0.0.1:http",
    ])
    func `an endpoint that is none is refused with the form of endpoints`(endpoint: String) {
        let error = #expect(throws: EndpointError.self) { _ = try Endpoint([endpoint]) }
        #expect(
            error?.description
                == "cannot serve '\(endpoint)': write ipc:///path/to/socket, or tcp://ADDRESS:PORT")
    }

    @Test func `a socket path that is too long is refused, with what to do`() {
        let path = "/tmp/" + String(repeating: "x", count: 120)
        let error = #expect(throws: EndpointError.self) { _ = try Endpoint(["ipc://\(path)"]) }
        #expect(
            error?.description
                == "the socket path '\(path)' has 125 bytes, more than 107; choose a shorter one")
    }

    private func expect(_ endpoint: String, isRefusedFor kind: String) {
        let error = #expect(throws: EndpointError.self) { _ = try Endpoint([endpoint]) }
        #expect(
            error?.description
                == "cannot serve '\(endpoint)': \(kind) has this path already; choose the path of a "
                + "socket, which the daemon creates")
    }
}

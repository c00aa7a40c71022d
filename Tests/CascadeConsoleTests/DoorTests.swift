// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import Testing

@testable import CascadeConsole

@Suite struct DoorTests {
    private let door = Door(port: 4270, hosts: ["bus.example"])

    @Test(arguments: [
        "127.0.0.1:4270", "localhost:4270", "LOCALHOST:4270", "[::1]:4270", "bus.example",
    ])
    func `a name of the console passes`(host: String) {
        #expect(status(get("/", [("Host", host)])) == 200)
    }

    @Test(
        arguments: [
            "127.0.0.1", "127.0.0.1:4271", "localhost", "evil.example:4270",
            "127.0.0.1.evil.example:4270",
            "bus.example:4270", "localhost:4270:4270", "",
        ])
    func `a foreign name is misdirected`(host: String) {
        #expect(status(get("/", [("Host", host)])) == 421)
    }

    @Test func `a request has one name`() {
        #expect(status(get("/", [])) == 400)
        #expect(status(get("/", [("Host", "localhost:4270"), ("Host", "localhost:4270")])) == 400)
    }

    @Test(
        arguments: [
            ("Origin", "http://evil.example", 403), ("Origin", "null", 403),
            ("Origin", "http://localhost:4271", 403), ("Origin", "https://localhost:4270", 403),
            ("Origin", "http://localhost:4270", 200), ("Sec-Fetch-Site", "cross-site", 403),
            ("Sec-Fetch-Site", "same-site", 403), ("Sec-Fetch-Site", "same-origin", 200),
            ("Sec-Fetch-Site", "none", 200),
            ("Content-Type", "application/json; charset=utf-8", 200),
        ])
    func `a request for data comes from the console's own page`(
        name: String, value: String, expected: Int
    ) {
        var headers = [("Host", "localhost:4270"), ("Content-Length", "2"), (name, value)]
        if name != "Content-Type" {
            headers.append(("Content-Type", "application/json"))
        }
        #expect(status(post(headers)) == expected)
    }

    @Test func `a request for data below a path comes from the console's own page too`() {
        let door = Door(port: nil, hosts: ["bus.example"], base: "/bus")
        let status = { (header: (String, String)) in
            let headers = HTTPHeaders([
                ("Host", "bus.example"), ("Content-Length", "2"), header,
            ])
            return Self.status(
                HTTPRequestHead(
                    version: .http1_1, method: .POST, uri: "/bus/v1/frame", headers: headers),
                at: door)
        }
        #expect(status(("Origin", "https://evil.example")) == 403)
        #expect(status(("Sec-Fetch-Site", "cross-site")) == 403)
        #expect(status(("Content-Type", "text/plain")) == 415)
        #expect(status(("Content-Type", "application/json")) == 200)
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
    func `a body of a form is refused`(type: String) {
        let headers = [("Host", "localhost:4270"), ("Content-Length", "2"), ("Content-Type", type)]
        #expect(status(post(headers)) == 415)
    }

    @Test(
        arguments: [
            ("65536", 200), ("65537", 413), ("99999999999999999999", 413), ("-1", 400), ("+1", 400),
            ("1 ", 400), ("0x1", 400), ("", 400),
        ])
    func `a body has a length within the limit`(length: String, expected: Int) {
        let headers = [
            ("Host", "localhost:4270"), ("Content-Length", length),
            ("Content-Type", "application/json"),
        ]
        #expect(status(post(headers)) == expected)
    }

    @Test func `a transfer encoding, two lengths and a GET with a body are refused`() {
        let host = ("Host", "localhost:4270")
        #expect(status(post([host, ("Transfer-Encoding", "chunked")])) == 501)
        #expect(status(post([host, ("Content-Length", "2"), ("Content-Length", "2")])) == 400)
        #expect(status(post([host])) == 400)
        #expect(status(get("/", [host, ("Content-Length", "1")])) == 400)
    }

    @Test func `a head is at most 8 KiB`() {
        let host = ("Host", "localhost:4270")
        #expect(status(get("/", [host, ("X", String(repeating: "x", count: 8_100))])) == 200)
        #expect(status(get("/", [host, ("X", String(repeating: "x", count: 8_192))])) == 431)
    }

    private func get(_ path: String, _ headers: [(String, String)]) -> HTTPRequestHead {
        HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: HTTPHeaders(headers))
    }

    private func post(_ headers: [(String, String)]) -> HTTPRequestHead {
        HTTPRequestHead(
            version: .http1_1, method: .POST, uri: "/v1/frame", headers: HTTPHeaders(headers))
    }

    private func status(_ head: HTTPRequestHead) -> Int {
        Self.status(head, at: door)
    }

    private static func status(_ head: HTTPRequestHead, at door: Door) -> Int {
        do throws(Refusal) {
            try door.check(head)
            return 200
        } catch {
            return error.status
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeService
import Testing

/// Requests of scrapers and the responses to them.
@Suite struct MetricsRequestTests {
    private func request(_ text: String, isEnded: Bool = false) -> MetricsRequest {
        MetricsRequest(Array(text.utf8), isEnded: isEnded)
    }

    @Test(arguments: [
        "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
        "GET /metrics?name=x HTTP/1.1\n\n",
    ])
    func `GET of the metrics is answered once the request is complete`(text: String) {
        #expect(request(text) == .get)
        #expect(request(String(text.dropLast(3))) == .incomplete)
    }

    @Test(arguments: [
        ("POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        ("GET /other HTTP/1.1\r\n\r\n", "404 Not Found"),
        ("GET /metrics\r\n\r\n", "400 Bad Request"), ("\r\n\r\n", "400 Bad Request"),
        ("GET /metrics SPDY/1\r\n\r\n", "400 Bad Request"),
    ])
    func `any other request is refused with its status`(text: String, status: String) {
        #expect(request(text) == .refused(status))
        let response = String(decoding: request(text).response("metrics"), as: UTF8.self)
        #expect(response.hasPrefix("HTTP/1.1 \(status)\r\n"))
        #expect(!response.contains("metrics"))
    }

    @Test func `a connection that sends nothing gets the bare text`() {
        #expect(request("", isEnded: true) == .bare)
        #expect(request("") == .incomplete)
        #expect(MetricsRequest.bare.response("a 1\n") == Array("a 1\n".utf8))
    }

    @Test func `an endless or incomplete request is refused`() {
        let endless = String(repeating: "x", count: MetricsRequest.byteCountMax)
        #expect(request(endless) == .refused("400 Bad Request"))
        #expect(request("GET /metr", isEnded: true) == .refused("400 Bad Request"))
    }

    @Test func `the response has its length and content type`() {
        let response = String(decoding: MetricsRequest.get.response("a 1\n"), as: UTF8.self)
        #expect(response.contains("\r\nContent-Length: 4\r\n"))
        #expect(response.contains("text/plain; version=0.0.4"))
        #expect(response.hasSuffix("\r\n\r\na 1\n"))
    }
}

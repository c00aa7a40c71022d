// SPDX-License-Identifier: Apache-2.0

/// The request of a scraper: HTTP's `GET`, or none.
package enum MetricsRequest: Equatable, Sendable {
    /// More bytes are needed.
    case incomplete
    /// The client sent nothing: the response is the text without HTTP.
    case bare
    case get
    /// A request that is refused with this status line.
    case refused(String)

    /// The longest request that is read.
    package static let byteCountMax = 8192

    /// Parses the bytes received so far. No more bytes come if `isEnded`.
    package init(_ bytes: [UInt8], isEnded: Bool) {
        guard !bytes.isEmpty else {
            self = isEnded ? .bare : .incomplete
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("\r\n\r\n") || text.contains("\n\n") else {
            self =
                isEnded || bytes.count >= Self.byteCountMax
                ? .refused("400 Bad Request") : .incomplete
            return
        }
        let words = text.prefix { !$0.isNewline }.split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
            self = .refused("400 Bad Request")
            return
        }
        guard words[0] == "GET" else {
            self = .refused("405 Method Not Allowed")
            return
        }
        let path = words[1].prefix { $0 != "?" }
        self = path == "/metrics" || path == "/" ? .get : .refused("404 Not Found")
    }

    /// The bytes of the response.
    package func response(_ metrics: String) -> [UInt8] {
        switch self {
        case .incomplete: []
        case .bare: Array(metrics.utf8)
        case .get: Self.response("200 OK", Array(metrics.utf8))
        case .refused(let status): Self.response(status, Array("\(status)\n".utf8))
        }
    }

    private static func response(_ status: String, _ body: [UInt8]) -> [UInt8] {
        let head = """
            HTTP/1.1 \(status)\r
            Content-Type: text/plain; version=0.0.4; charset=utf-8\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r

            """
        return Array(head.utf8) + body
    }
}

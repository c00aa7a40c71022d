// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import NIOHTTP1

/// A request whose head has passed the ``Door``, with its whole body.
struct Request: Sendable {
    let method: HTTPMethod
    /// The path without the query: `/v1/frame`.
    let path: String
    /// The parameters of the query, decoded.
    let parameters: [String: String]
    /// The token of `X-Cascade-Token: TOKEN` or `Authorization: Bearer TOKEN`; empty without one.
    let token: String
    /// The process that sent the request.
    let peer: Peer
    /// The person whom a proxy names, if the header has a word of at most 64 printable characters.
    let remoteUser: String?
    let body: [UInt8]

    init(_ head: HTTPRequestHead, from peer: Peer, body: [UInt8]) throws(Refusal) {
        method = head.method
        self.peer = peer
        let users = head.headers["x-remote-user"]
        remoteUser =
            users.count == 1 && (1...64).contains(users[0].utf8.count)
                && users[0].utf8.allSatisfy { (0x21...0x7E).contains($0) } ? users[0] : nil
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        var parameters: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(halves[0]),
                let value = Self.decoded(halves.count > 1 ? halves[1] : ""),
                parameters.updateValue(value, forKey: name) == nil
            else {
                throw Refusal(400, "badQuery", "The query of the address cannot be read.")
            }
        }
        self.parameters = parameters
        token = Self.token(in: head.headers)
        self.body = body
    }

    /// The page has a header of its own, since a proxy may want `Authorization` for the person's password.
    private static func token(in headers: HTTPHeaders) -> String {
        let own = headers["x-cascade-token"]
        guard own.isEmpty else {
            return own.count == 1 ? own[0] : ""
        }
        let authorization = headers["authorization"]
        let scheme = "Bearer "
        return authorization.count == 1 && authorization[0].hasPrefix(scheme)
            ? String(authorization[0].dropFirst(scheme.count)) : ""
    }

    /// Returns text without percent signs as escapes; `nil` if it is malformed or not UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            guard rest.count >= 2,
                let value = UInt8(String(decoding: Array(rest.prefix(2)), as: UTF8.self), radix: 16)
            else {
                return nil
            }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The body as JSON. Throws ``Refusal`` if it is none.
    func json(depthMax: Int = 16) throws(Refusal) -> JSONValue {
        do {
            return try JSONValue(parsing: body, depthMax: depthMax)
        } catch {
            throw Refusal(400, "badBody", "The body is not JSON: \(error)")
        }
    }
}

/// A response of known length.
struct Response: Sendable {
    var status = 200
    var type = "application/json"
    /// Whether a browser may keep the response for ever. Otherwise it must not keep it at all.
    var isImmutable = false
    var body: [UInt8]

    init(type: String, isImmutable: Bool, body: [UInt8]) {
        self.type = type
        self.isImmutable = isImmutable
        self.body = body
    }

    init(jsonText: String, status: Int = 200) {
        self.status = status
        body = Array(jsonText.utf8)
    }

    init(_ refusal: Refusal) {
        self.init(jsonText: refusal.json.text, status: refusal.status)
    }

    /// The head of the response. Every response has the headers that keep a browser from harm.
    var head: HTTPResponseHead {
        var headers = HTTPHeaders([
            ("Content-Type", type),
            ("Content-Length", String(body.count)),
            ("Cache-Control", isImmutable ? "max-age=31536000, immutable" : "no-store"),
            ("Content-Security-Policy", Self.policy),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ])
        if status == 401 {
            headers.add(name: "WWW-Authenticate", value: "Bearer")
        }
        return HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
    }

    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
}

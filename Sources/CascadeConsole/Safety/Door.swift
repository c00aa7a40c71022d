// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// The checks of a request's head, before anything of its body is read.
struct Door: Sendable {
    /// The limit of the head's size in bytes.
    static let headByteCountMax = 8_192
    /// The limit of the body's size in bytes.
    static let bodyByteCountMax = 65_536

    /// The port that browsers name in `Host`; `nil` on a Unix socket, where a proxy or `ssh` chooses it.
    var port: Int?
    /// Further names by which the console is reached, such as that of a proxy.
    var hosts: Set<String>
    /// The path below which a proxy serves the page; empty for none.
    var base = ""

    private static let loopbackNames: Set = ["127.0.0.1", "localhost", "[::1]"]

    /// Checks a head. Throws ``Refusal`` if the console must not answer the request.
    func check(_ head: HTTPRequestHead) throws(Refusal) {
        // The name comes first: a name that an attacker has rebound learns nothing else.
        let host = try host(of: head)
        try checkSize(of: head)
        try checkBody(of: head)
        guard head.method == .GET || head.method == .POST else {
            throw Refusal(501, "unknownMethod", "The console answers GET and POST only.")
        }
        guard head.version == .http1_1 else {
            throw Refusal(400, "badVersion", "The console speaks HTTP/1.1 only.")
        }
        try checkOrigin(of: head, host)
    }

    /// Returns the value of `Host`. Throws ``Refusal`` if it is not a name of the console.
    private func host(of head: HTTPRequestHead) throws(Refusal) -> String {
        let values = head.headers["host"]
        guard values.count == 1, let host = values.first?.lowercased() else {
            throw Refusal(400, "badHost", "A request has one header Host.")
        }
        guard !hosts.contains(host) else {
            return host
        }
        let colon = host.hasSuffix("]") ? nil : host.lastIndex(of: ":")
        let name = colon.map { String(host[..<$0]) } ?? host
        let digits = colon.map { host[host.index(after: $0)...] }
        guard Self.loopbackNames.contains(name),
            port == nil || digits == "\(port ?? 0)" || (digits == nil && port == 80)
        else {
            throw Refusal(
                421, "foreignHost",
                "The console is not reached by this name: open the link that it printed, or name it by --host."
            )
        }
        return host
    }

    private func checkSize(of head: HTTPRequestHead) throws(Refusal) {
        let size = head.headers.reduce(head.uri.utf8.count + 16) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
        guard size <= Self.headByteCountMax else {
            throw .longHead
        }
    }

    /// Checks the headers that say where the body ends.
    private func checkBody(of head: HTTPRequestHead) throws(Refusal) {
        guard !head.headers.contains(name: "transfer-encoding") else {
            throw Refusal(501, "transferEncoding", "A body has a Content-Length here.")
        }
        let lengths = head.headers["content-length"]
        guard lengths.count <= 1 else {
            throw Refusal(400, "badLength", "A request has one Content-Length.")
        }
        guard let text = lengths.first else {
            if head.method == .POST {
                throw Refusal(400, "badLength", "A POST has a Content-Length.")
            }
            return
        }
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw Refusal(400, "badLength", "The Content-Length is not a number.")
        }
        guard let length = Int(text), length <= Self.bodyByteCountMax else {
            throw .longBody
        }
        guard head.method == .POST || length == 0 else {
            throw Refusal(400, "badLength", "A GET has no body.")
        }
    }

    /// Checks that a request which changes or tells something comes from the console's own page.
    private func checkOrigin(of head: HTTPRequestHead, _ host: String) throws(Refusal) {
        guard head.uri.utf8.starts(with: "\(base)/v1/".utf8) else {
            return
        }
        let origins = head.headers["origin"]
        let isOwn = origins.allSatisfy { origin in
            let origin = origin.lowercased()
            return origin == "http://\(host)"
                || (hosts.contains(host) && origin == "https://\(host)")
        }
        let sites = head.headers["sec-fetch-site"]
        guard origins.count <= 1, isOwn,
            sites.allSatisfy({ $0 == "same-origin" || $0 == "none" })
        else {
            throw Refusal(
                403, "foreignOrigin", "The request comes from the page of another site.")
        }
        if head.method == .POST {
            let type = head.headers["content-type"].first?.lowercased() ?? ""
            guard type == "application/json" || type.hasPrefix("application/json;") else {
                throw Refusal(415, "badType", "A body is application/json here.")
            }
        }
    }
}

extension Refusal {
    static let longHead = Refusal(431, "longHead", "The head of the request is over 8 KiB.")
    static let longBody = Refusal(413, "longBody", "The body of the request is over 64 KiB.")
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
package import NATS

extension ServerAddress {
    /// Reads `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`; returns `nil` if the text is none of these.
    package init?(_ text: some StringProtocol) {
        let (host, port) = Self.parts(String(text))
        let isHost = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default:
                ".-_:%".utf8.contains(byte)
            }
        }
        guard !host.isEmpty, isHost, !host.contains(":") || Self.isIPv6(host) else {
            return nil
        }
        guard let port else {
            self.init(host: host)
            return
        }
        guard let number = UInt16(port), number > 0 else {
            return nil
        }
        self.init(host: host, port: number)
    }

    /// Whether a host is an address of IPv6, with or without a zone, as in `fe80::1%eth0`.
    private static func isIPv6(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &address) == 1
    }

    private static func parts(_ text: String) -> (host: String, port: Substring?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            guard !rest.isEmpty else {
                return (host, nil)
            }
            return rest.hasPrefix(":") ? (host, rest.dropFirst()) : ("", nil)
        }
        guard let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon else {
            // An IPv6 address without a port needs no brackets.
            return (text, nil)
        }
        return (String(text[..<colon]), text[text.index(after: colon)...])
    }
}

// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing

/// A peer that writes bytes as they are. It reads only when the test reads.
final class RawPeer {
    let descriptor: Int32

    /// Connects; the transport need not have accepted yet.
    init(_ path: String) throws {
        descriptor = cascade_unix_stream(1)
        try #require(descriptor >= 0)
        try #require(cascade_unix_connect(descriptor, path) == 0, "error \(errno)")
    }

    deinit {
        close(descriptor)
    }

    /// Writes what the socket takes; returns the number of bytes.
    @discardableResult
    func write(_ bytes: some Collection<UInt8>) -> Int {
        let bytes = Array(bytes)
        return max(0, send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    /// Ends the connection: the transport reads to its end.
    func shutDown() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Reads the available bytes.
    func read() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else {
                return bytes
            }
            bytes += chunk[..<count]
        }
    }

    /// Whether the other end has closed the connection, and everything is read.
    var isAtEnd: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK))
        return count == 0 || count < 0 && errno == ECONNRESET
    }

    // MARK: - Bytes

    static let greeting: [UInt8] =
        [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 1] + Array("NULL".utf8)
        + [UInt8](repeating: 0, count: 48)

    static let ready: [UInt8] =
        [4, 28, 5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6]
        + Array("DEALER".utf8)

    /// The bytes that open a connection.
    static let start = greeting + ready

    /// The bytes that the transport writes until the connection is open.
    static let answerByteCount = 64 + 43

    static func frame(_ body: [UInt8], hasMore: Bool = false) -> [UInt8] {
        let flags: UInt8 = hasMore ? 1 : 0
        guard body.count > 255 else {
            return [flags, UInt8(body.count)] + body
        }
        return [flags | 2] + withUnsafeBytes(of: UInt64(body.count).bigEndian) { Array($0) } + body
    }
}

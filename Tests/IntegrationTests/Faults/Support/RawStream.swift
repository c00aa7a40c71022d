// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import ZeroMQ

/// A bare connection to the daemon's socket, without ZeroMQ.
final class RawStream {
    private let descriptor: Int32
    private let openedAt = MonotonicClock.now()

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(path)
        let result = withUnsafeBytes(of: &address) { bytes in
            connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        try #require(result == 0, "\(path) cannot be connected to")
    }

    /// Connects, and sends what completes the handshake of ZMTP.
    @FaultThread static func opened(_ path: String) throws -> RawStream {
        let stream = try RawStream(path)
        stream.write(Faults.StrangerTests.greeting("NULL") + Faults.StrangerTests.ready)
        return stream
    }

    deinit {
        close(descriptor)
    }

    /// Sends a ZMTP frame: a message, or with these flags another frame.
    func write(frame body: [UInt8], flags: UInt8 = 0) {
        let size = UInt64(body.count).bigEndian
        let isLong = body.count > 255
        let header =
            isLong
            ? [flags | 2] + withUnsafeBytes(of: size) { Array($0) } : [flags, UInt8(body.count)]
        write(header + body)
    }

    /// Reads the next ZMTP frame; `nil` at the end of the connection.
    func readFrame() throws -> [UInt8]? {
        guard let flags = try readIfThere() else {
            return nil
        }
        let isLong = flags & 2 != 0
        let size = try read(isLong ? 8 : 1).reduce(0) { $0 << 8 | Int($1) }
        return try read(size)
    }

    private func readIfThere() throws -> UInt8? {
        try #require(Patience.isReadable(descriptor), "no further frame has arrived")
        var byte: UInt8 = 0
        return Glibc.read(descriptor, &byte, 1) == 1 ? byte : nil
    }

    func write(_ bytes: [UInt8]) {
        // A write may fail when the daemon no longer reads.
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads until `count` bytes have arrived.
    func read(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            try #require(Patience.isReadable(descriptor), "only \(bytes.count) bytes have arrived")
            var buffer = [UInt8](repeating: 0, count: count - bytes.count)
            let got = Glibc.read(descriptor, &buffer, buffer.count)
            try #require(got > 0, "the daemon has closed the connection")
            bytes += buffer.prefix(got)
        }
        return bytes
    }

    /// Reads until the daemon closes the connection.
    func readToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            try #require(Patience.isReadable(descriptor), "only \(bytes.count) bytes have arrived")
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let got = Glibc.read(descriptor, &buffer, buffer.count)
            guard got > 0 else {
                return bytes
            }
            bytes += buffer.prefix(got)
        }
    }

    /// Milliseconds from the start until the daemon closed the connection; `nil` if it did not in
    /// time.
    func closedAfter(atMost milliseconds: Int) -> Double? {
        let end = MonotonicClock.now() + UInt64(milliseconds) * 1_000_000
        while true {
            let left = Poller.milliseconds(until: end, from: MonotonicClock.now())
            guard Patience.isReadable(descriptor, within: left) else {
                return nil
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            if Glibc.read(descriptor, &buffer, buffer.count) <= 0 {
                return openedAt.millisecondsAgo
            }
        }
    }

    /// Leaves a socket file without a listener.
    static func leaveStaleSocket(_ path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = address(path)
        let result = withUnsafeBytes(of: &address) { bytes in
            bind(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        try #require(result == 0)
    }

    private static func address(_ path: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        return address
    }
}

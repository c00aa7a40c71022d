// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing
import ZeroMQ

/// A tcp port that forwards to another one and back, each byte after a delay.
///
/// A thread of its own carries the bytes, and reads them as fast as they come: the delay bounds no rate.
final class SlowRelay: Sendable {
    /// One direction of a connection.
    fileprivate struct Way {
        let source: Int32
        let target: Int32
        /// Whether the source may have more bytes.
        var isRead = true
        /// The bytes that have come, and when they go on. An empty piece is the end.
        var pieces: [(bytes: [UInt8], goesAt: UInt64)] = []
        var isOver = false
    }

    let port: Int
    private let target: Int
    private let delay: UInt64
    private let listener: Int32
    private let isStopping = Atomic(false)

    /// - Parameters:
    ///   - target: A port on 127.0.0.1.
    ///   - milliseconds: The delay in each direction.
    init(to target: Int, milliseconds: UInt64) throws {
        self.target = target
        delay = milliseconds * 1_000_000
        let listener = Self.newSocket()
        self.listener = listener
        var address = Self.address(0)
        try #require(Self.with(&address) { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 16) == 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            getsockname(
                listener, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        try #require(result == 0)
        port = Int(UInt16(bigEndian: address.sin_port))
        try OwnThread.detached { self.carry() }
    }

    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
    }

    // MARK: - The thread

    private func carry() {
        var ways: [Way] = []
        while !isStopping.load(ordering: .sequentiallyConsistent) {
            var watched = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            watched += ways.map {
                pollfd(fd: $0.isRead ? $0.source : -1, events: Int16(POLLIN), revents: 0)
            }
            let now = MonotonicClock.now()
            let next = ways.compactMap { $0.pieces.first?.goesAt }.min() ?? now + 100_000_000
            poll(
                &watched, nfds_t(watched.count),
                Int32(min(Poller.milliseconds(until: next, from: now), 100)))
            for index in ways.indices {
                if watched[index + 1].revents != 0 {
                    ways[index].receive(delay: delay)
                }
                ways[index].send(at: MonotonicClock.now())
            }
            // Both directions of a connection are neighbours.
            for index in stride(from: ways.count - 2, through: 0, by: -2)
            where ways[index].isOver || ways[index + 1].isOver {
                close(ways[index].source)
                close(ways[index].target)
                ways.removeSubrange(index...(index + 1))
            }
            if watched[0].revents != 0, let (near, far) = accept() {
                ways += [Way(source: near, target: far), Way(source: far, target: near)]
            }
        }
        for way in ways {
            close(way.source)
        }
        close(listener)
    }

    private func accept() -> (near: Int32, far: Int32)? {
        let near = Glibc.accept(listener, nil, nil)
        let far = Self.newSocket()
        var address = Self.address(target)
        guard near >= 0, Self.with(&address, { connect(far, $0, $1) }) == 0 else {
            close(near)
            close(far)
            return nil
        }
        return (near, far)
    }

    private static func newSocket() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func with(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeBytes(of: &address) { bytes in
            bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.map {
                body($0, socklen_t(bytes.count))
            } ?? -1
        }
    }
}

extension SlowRelay.Way {
    fileprivate mutating func receive(delay: UInt64) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(source, &buffer, buffer.count)
        pieces.append((Array(buffer.prefix(max(count, 0))), MonotonicClock.now() + delay))
        isRead = count > 0
    }

    fileprivate mutating func send(at now: UInt64) {
        while let piece = pieces.first, piece.goesAt <= now {
            pieces.removeFirst()
            var sent = 0
            while sent < piece.bytes.count {
                let count = piece.bytes.withUnsafeBytes { bytes in
                    bytes.baseAddress.map {
                        Glibc.send(
                            target, $0 + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                    } ?? -1
                }
                guard count > 0 else {
                    isOver = true
                    return
                }
                sent += count
            }
            if piece.bytes.isEmpty {
                isOver = true
            }
        }
    }
}

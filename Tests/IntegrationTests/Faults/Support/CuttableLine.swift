// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing

/// A socket that forwards to the daemon's socket and back until it is cut: then both sides see
/// their connection end, although neither process has ended.
///
/// A thread of its own carries the bytes.
final class CuttableLine: Sendable {
    let endpoint: String
    private let target: String
    private let listener: Int32
    /// A byte here cuts the current connections, its end stops the thread.
    private let wakeUp: InheritedPipe
    private let count = Atomic<Int>(0)

    /// The number of connections so far.
    var connectionCount: Int {
        count.load(ordering: .acquiring)
    }

    init(in directory: String, to target: String) throws {
        let path = directory + "/line.sock"
        endpoint = "ipc://" + path
        self.target = target
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        wakeUp = try InheritedPipe()
        try #require(Self.with(path) { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 16) == 0)
        var thread = pthread_t()
        let line = Unmanaged.passRetained(self).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { line in
                guard let line else {
                    return nil
                }
                let owned = Unmanaged<CuttableLine>.fromOpaque(line).takeRetainedValue()
                owned.carry()
                return nil
            }, line)
        try #require(result == 0)
        pthread_detach(thread)
    }

    /// Ends all connections.
    func cut() {
        var byte: UInt8 = 1
        _ = write(wakeUp.writeEnd, &byte, 1)
    }

    /// Ends all connections and accepts no more.
    func stop() {
        Glibc.close(wakeUp.writeEnd)
    }

    // MARK: - The thread

    private func carry() {
        var pairs: [(Int32, Int32)] = []
        while true {
            var watched = [listener, wakeUp.readEnd].map(Self.watch)
            watched += pairs.flatMap { [Self.watch($0.0), Self.watch($0.1)] }
            poll(&watched, nfds_t(watched.count), -1)
            let ready = Set(watched.filter { $0.revents != 0 }.map(\.fd))
            pairs.removeAll { near, far in
                let isOver =
                    (ready.contains(near) && !Self.pass(from: near, to: far))
                    || (ready.contains(far) && !Self.pass(from: far, to: near))
                if isOver {
                    Self.end(near, far)
                }
                return isOver
            }
            if ready.contains(wakeUp.readEnd) {
                pairs.forEach(Self.end)
                pairs = []
                var byte: UInt8 = 0
                guard read(wakeUp.readEnd, &byte, 1) == 1 else {
                    break
                }
            }
            if ready.contains(listener), let pair = accept() {
                pairs.append(pair)
            }
        }
        close(listener)
        close(wakeUp.readEnd)
    }

    private func accept() -> (Int32, Int32)? {
        let near = Glibc.accept(listener, nil, nil)
        let far = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard near >= 0, Self.with(target, { connect(far, $0, $1) }) == 0 else {
            Self.end(near, far)
            return nil
        }
        count.add(1, ordering: .releasing)
        return (near, far)
    }

    /// Returns whether there may be more bytes.
    private static func pass(from source: Int32, to target: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let got = read(source, &buffer, buffer.count)
        var sent = 0
        while sent < got {
            let taken = buffer.withUnsafeBytes { bytes in
                bytes.baseAddress.map {
                    send(target, $0 + sent, got - sent, Int32(MSG_NOSIGNAL))
                } ?? -1
            }
            guard taken > 0 else {
                return false
            }
            sent += taken
        }
        return got > 0
    }

    private static func end(_ near: Int32, _ far: Int32) {
        close(near)
        close(far)
    }

    private static func watch(_ descriptor: Int32) -> pollfd {
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }

    private static func with(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

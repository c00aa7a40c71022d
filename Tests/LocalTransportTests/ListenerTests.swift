// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeTestSupport
import Glibc
import Testing

@testable import LocalTransport

@Suite struct ListenerTests {
    @Test func `a removed or replaced socket file is detected, and another's is kept`() throws {
        let bus = try TestedTransport()
        #expect(bus.listenerFileState == .present)
        unlink(bus.path)
        #expect(bus.listenerFileState == .removed)
        let other = try Listener(path: bus.path)
        #expect(bus.listenerFileState == .replaced)
        #expect(other.fileState == .present)
        bus.transport.stopListening()
        #expect(access(bus.path, F_OK) == 0, "the file of another listener is not removed")
        #expect(bus.listenerFileState == nil)
        _ = consume other
    }

    @Test func `another listener replaces one whose file was removed`() throws {
        let bus = try TestedTransport()
        bus.onMessage = TestedTransport.echo
        let old = try RawPeer(bus.path)
        old.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        unlink(bus.path)
        #expect(bus.listenerFileState == .removed)
        try bus.transport.listen(on: Listener(path: bus.path))
        #expect(bus.listenerFileState == .present)
        let new = try RawPeer(bus.path)
        new.write(RawPeer.start)
        try bus.run { bus.connected.count == 2 }
        for peer in [old, new] {
            _ = peer.read()
            peer.write(RawPeer.frame([1]))
            var answer: [UInt8] = []
            try bus.run(milliseconds: 100) {
                answer += peer.read()
                return !answer.isEmpty
            }
            #expect(answer == RawPeer.frame([1]))
        }
    }

    @Test func `a listener removes its file, and an existing file is an error`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/bus.sock"
        try directory.write("bus.sock", [1])
        #expect(throws: SystemError.self) {
            _ = try Listener(path: path)
        }
        unlink(path)
        _ = try Listener(path: path)
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a listener at a path that is too long is an error with its reason`() throws {
        let path = "/tmp/" + String(repeating: "a", count: 200)
        do {
            _ = try Listener(path: path)
            Issue.record("the path is accepted")
        } catch {
            #expect(error.code == ENAMETOOLONG)
            #expect(error.description == "cannot listen on \(path): File name too long")
        }
    }

    @Test func `an inherited socket is used as it is, and its file is not removed`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/bus.sock"
        let descriptor = cascade_unix_stream(0)
        try #require(cascade_unix_bind(descriptor, path) == 0)
        try #require(listen(descriptor, 10) == 0)
        // A connection from before the transport began.
        let peer = try RawPeer(path)
        peer.write(RawPeer.start + RawPeer.frame([1]))
        let bus = try TestedTransport()
        try bus.transport.listen(on: Listener(inherited: descriptor))
        #expect(bus.listenerFileState == .present)
        try bus.run { bus.messages.count == 1 }
        bus.transport.stopListening()
        #expect(access(path, F_OK) == 0)
    }

    @Test func `a listener at an abstract name accepts connections and counts as present`() throws {
        let bus = try TestedTransport()
        let name = "@cascade-test-\(getpid())-\(UInt64.random(in: .min ... .max))"
        try bus.transport.listen(on: Listener(path: name))
        #expect(bus.listenerFileState == .present)
        let peer = try RawPeer(name)
        peer.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
    }

    @Test func `an accept that fails is reported once, and does not end each wait`() throws {
        let bus = try TestedTransport()
        bus.onMessage = TestedTransport.echo
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        try bus.settle()
        _ = peer.read()
        // accept(2) fails on a socket of datagrams, and the datagram keeps it readable.
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        try #require(write(ends[1], "a", 1) == 1)
        try bus.transport.listen(on: Listener(inherited: ends[0]))
        try bus.settle()
        #expect(bus.acceptErrors.map(\.code) == [EOPNOTSUPP])
        #expect(bus.nextDeadline != nil)
        #expect(bus.transport.idle(milliseconds: 0, wakeup: 0, at: bus.now).isReady == false)
        try bus.settle()
        for _ in 1...3 {
            bus.skippedTime += .milliseconds(101)
            try bus.settle()
        }
        #expect(bus.acceptErrors.count == 1)
        // Connected peers are served.
        peer.write(RawPeer.frame([1]))
        try bus.settle()
        #expect(peer.read() == RawPeer.frame([1]))
    }

    @Test func `a listener that another process shuts down is reported and left alone`() throws {
        let bus = try TestedTransport()
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/inherited.sock"
        let descriptor = cascade_unix_stream(1)
        try #require(cascade_unix_bind(descriptor, path) == 0)
        try #require(listen(descriptor, 10) == 0)
        let shared = dup(descriptor)
        defer { close(shared) }
        try bus.transport.listen(on: Listener(inherited: descriptor))
        try bus.settle()
        try #require(shutdown(shared, Int32(SHUT_RDWR)) == 0)
        try bus.run { !bus.endedListeners.isEmpty }
        #expect(bus.transport.idle(milliseconds: 0, wakeup: 0, at: bus.now).isReady == false)
        #expect(bus.nextDeadline == nil)
        // The other listener accepts connections.
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        #expect(bus.endedListeners == [path])
        #expect(bus.acceptErrors.isEmpty)
    }

    @Test func `a descriptor of the owner ends a wait and is reported with its token`() throws {
        let bus = try TestedTransport()
        let wakeup = cascade_eventfd_create()
        defer { close(wakeup) }
        try bus.transport.add(wakeup, token: 77)
        try bus.turn(milliseconds: 0)
        #expect(bus.readableTokens.isEmpty)
        cascade_eventfd_write(wakeup)
        try bus.turn()
        #expect(bus.readableTokens == [77])
        cascade_eventfd_read(wakeup)
        try bus.turn(milliseconds: 0)
        #expect(bus.readableTokens == [77])
    }

    @Test func `a turn handles the events that the wait before it found`() throws {
        let bus = try TestedTransport()
        let wakeup = cascade_eventfd_create()
        defer { close(wakeup) }
        try bus.transport.add(wakeup, token: 0)
        let quiet = bus.transport.idle(milliseconds: 0, wakeup: 0, at: bus.now)
        #expect(!quiet.isReady && !quiet.isWoken)
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start)
        let found = bus.transport.idle(milliseconds: 20_000, wakeup: 0, at: bus.now)
        #expect(found.isReady && !found.isWoken)
        try bus.run { bus.connected.count == 1 }
        cascade_eventfd_write(wakeup)
        let woken = bus.transport.idle(milliseconds: 20_000, wakeup: 0, at: bus.now)
        #expect(woken.isWoken)
        try bus.turn(milliseconds: 0)
        #expect(bus.readableTokens.isEmpty)
    }
}

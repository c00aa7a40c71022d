// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing
import ZMTP

@testable import LocalTransport

@Suite struct AdmissionTests {
    private func id(_ index: UInt32) -> ConnectionID {
        ConnectionID(index: index, generation: 1)
    }

    // MARK: - Limits

    @Test func `connections without a handshake are limited for each user`() {
        var admission = Admission(AdmissionLimits(unopenedPerUser: 3, perUser: 10, total: 20))
        func admit(_ index: UInt32, of userID: UInt32) -> AdmissionRefusal? {
            let refusal = admission.admit(userID, at: .zero)
            if refusal == nil {
                admission.begin(id(index), of: userID)
            }
            return refusal
        }
        for index in 0..<3 as Range<UInt32> {
            #expect(admit(index, of: 1) == nil)
        }
        #expect(admit(3, of: 1) == .tooManyUnopened(limit: 3))
        #expect(admit(3, of: 2) == nil)
        #expect(admission.oldestUnopened(of: 1) == id(0))
        admission.open(id(0), of: 1)
        #expect(admission.oldestUnopened(of: 1) == id(1))
        #expect(admit(4, of: 1) == nil)
        #expect(admit(5, of: 1) == .tooManyUnopened(limit: 3))
        admission.remove(id(1), of: 1, at: .zero)
        #expect(admit(5, of: 1) == nil)
        admission.remove(id(0), of: 1, at: .zero)
        #expect(admit(6, of: 1) == .tooManyUnopened(limit: 3))
    }

    @Test func `connections are limited for each user and in total`() {
        var admission = Admission(AdmissionLimits(unopenedPerUser: 9, perUser: 2, total: 3))
        #expect(admission.admit(1, at: .zero) == nil)
        #expect(admission.admit(1, at: .zero) == nil)
        #expect(admission.admit(1, at: .zero) == .tooManyOfUser(limit: 2))
        #expect(admission.admit(2, at: .zero) == nil)
        #expect(admission.admit(2, at: .zero) == .tooMany(limit: 3))
        #expect(admission.count == 3)
    }

    @Test func `new connections of a user are limited per second, whether they end or not`() {
        var admission = Admission(
            AdmissionLimits(unopenedPerUser: 99, newPerSecond: 10, perUser: 99, total: 99))
        for _ in 0..<10 {
            #expect(admission.admit(1, at: .zero) == nil)
            admission.remove(nil, of: 1, at: .zero)
        }
        #expect(admission.admit(1, at: .milliseconds(50)) == .tooManyPerSecond(limit: 10))
        #expect(admission.admit(2, at: .milliseconds(50)) == nil)
        #expect(admission.admit(1, at: .milliseconds(100)) == nil)
        #expect(admission.admit(1, at: .milliseconds(150)) == .tooManyPerSecond(limit: 10))
        for _ in 0..<10 {
            #expect(admission.admit(1, at: .seconds(5)) == nil)
        }
        #expect(admission.admit(1, at: .seconds(5)) == .tooManyPerSecond(limit: 10))
    }

    @Test func `the user with the most held bytes is known`() {
        var admission = Admission(AdmissionLimits(perUser: 9, total: 9))
        #expect(admission.largestHolder == nil)
        for (userID, byteCount) in [(1, 300), (2, 500), (3, 400)] as [(UInt32, Int)] {
            #expect(admission.admit(userID, at: .zero) == nil)
            admission.hold(byteCount, of: userID)
        }
        #expect(admission.largestHolder == 2)
        admission.hold(-200, of: 2)
        #expect(admission.largestHolder == 3)
        #expect(admission.heldByteCount == 1_000)
    }

    // MARK: - Connections

    @Test func `the index of a connection is reused only after its ID is released`() throws {
        let bus = try TestedTransport()
        let first = try RawPeer(bus.path)
        first.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        first.shutDown()
        try bus.run { bus.disconnected.count == 1 }
        let second = try RawPeer(bus.path)
        second.write(RawPeer.start)
        try bus.run { bus.connected.count == 2 }
        #expect(bus.connected[1].index != bus.connected[0].index)
        // Twice, and after the end: nothing happens.
        bus.transport.release(bus.connected[0])
        bus.transport.release(bus.connected[0])
        let third = try RawPeer(bus.path)
        third.write(RawPeer.start)
        try bus.run { bus.connected.count == 3 }
        #expect(bus.connected[2].index == bus.connected[0].index)
        #expect(bus.connected[2].generation == bus.connected[0].generation + 1)
        // Before its end: the index is free when the connection has gone.
        bus.transport.release(bus.connected[2])
        third.shutDown()
        try bus.run { bus.disconnected.count == 2 }
        let fourth = try RawPeer(bus.path)
        fourth.write(RawPeer.start)
        try bus.run { bus.connected.count == 4 }
        #expect(bus.connected[3].index == bus.connected[2].index)
    }

    @Test func `a new connection replaces a long handshake of the same user`() throws {
        let bus = try TestedTransport()
        let silent = try (0..<64).map { _ in try RawPeer(bus.path) }
        try bus.run { bus.connectionCount == 64 }
        bus.skippedTime = .milliseconds(1_001)
        let late = try RawPeer(bus.path)
        late.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        #expect(bus.refused == [.replaced])
        _ = silent[0].read()
        #expect(silent[0].isAtEnd && bus.connectionCount == 64)
    }

    @Test func `the 65th connection without a handshake is closed unread`() throws {
        let bus = try TestedTransport()
        let silent = try (0..<64).map { _ in try RawPeer(bus.path) }
        try bus.run { bus.connectionCount == 64 }
        let late = try RawPeer(bus.path)
        late.write(RawPeer.start)
        try bus.run { !bus.refused.isEmpty }
        #expect(bus.refused == [.limit(.tooManyUnopened(limit: 64))])
        #expect(late.isAtEnd)
        #expect(late.read().isEmpty)
        // The earlier connections are served and make room.
        silent[0].write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        let next = try RawPeer(bus.path)
        next.write(RawPeer.start + RawPeer.frame([1]))
        try bus.run { bus.messages.count == 1 }
        #expect(bus.refused.count == 1)
    }

    @Test func `credentials are those of the process that connected`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        #expect(
            bus.credentials(of: bus.connected[0])
                == PeerCredentials(
                    userID: geteuid(), groupID: getegid(), processID: UInt32(getpid())))
        let descriptor = try #require(bus.descriptor(of: bus.connected[0]))
        #expect(PeerCredentials(of: descriptor)?.processID == UInt32(getpid()))
    }

    @Test func `a connection is served during a flood of new connections`() throws {
        let bus = try TestedTransport(.tested(unopenedPerUser: 8))
        bus.onMessage = TestedTransport.echo
        let served = try RawPeer(bus.path)
        served.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        _ = served.read()
        var flood: [RawPeer] = []
        for _ in 0..<300 {
            flood.append(try RawPeer(bus.path))
        }
        served.write(RawPeer.frame([1]))
        try bus.turn()
        // One turn accepts a bounded number of them, and reads the other connection.
        #expect(served.read() == RawPeer.frame([1]))
        #expect(bus.refused.count <= Transport.acceptsPerTurn)
        try bus.run { bus.refused.count == 300 - 8 }
        #expect(bus.connectionCount == 9)
    }

    @Test func `the identity and the properties of a peer's READY are not stored`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        let large = [UInt8](repeating: 7, count: 200)
        let metadata =
            [8] + Array("Identity".utf8) + [0, 0, 0, 200] + large
            + [6] + Array("X-Note".utf8) + [0, 0, 0, 200] + large
        let body = RawPeer.ready.dropFirst(2) + metadata
        let size = withUnsafeBytes(of: UInt64(body.count).bigEndian) { Array($0) }
        peer.write(RawPeer.greeting + [6] + size + body)
        try bus.run { bus.connected.count == 1 }
        let peerOfEngine = bus.transport.table[bus.connected[0]]?.pointee.engine.peer
        let stored = try #require(peerOfEngine)
        #expect(stored.version == .version3Point1 && stored.socketType == .dealer)
        #expect(stored.identity.isEmpty && stored.properties.isEmpty)
    }

    @Test func `an idle connection takes at most 1,024 bytes and holds no buffer`() throws {
        #expect(MemoryLayout<PeerConnection>.stride <= 1_024)
        let bus = try TestedTransport()
        let peers = try (0..<500).map { _ in
            let peer = try RawPeer(bus.path)
            peer.write(RawPeer.start + RawPeer.frame([1]))
            try bus.turn()
            return peer
        }
        try bus.run { bus.messages.count == 500 }
        #expect(bus.heldByteCount == 0)
        #expect(bus.connected.allSatisfy { bus.waitingByteCount(of: $0) == 0 })
        #expect(peers.allSatisfy { $0.read().count == RawPeer.answerByteCount })
    }

    // MARK: - Descriptors

    @Test func `connections are closed while descriptors are exhausted, and accepted afterwards`()
        async
    {
        await #expect(processExitsWith: .success) {
            let bus = try TestedTransport()
            var peers = [try RawPeer(bus.path)]
            peers[0].write(RawPeer.start)
            try bus.run { bus.connected.count == 1 }
            _ = peers[0].read()
            // The peers have descriptors, and none is left to accept their connections.
            for _ in 0..<5 {
                peers.append(try RawPeer(bus.path))
            }
            let next = open("/dev/null", O_RDONLY)
            close(next)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let all = limit.rlim_cur
            // A descriptor at the limit or above cannot be opened.
            limit.rlim_cur = rlim_t(next)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            for _ in 0..<20 {
                bus.transport.wait(until: bus.now, at: bus.now)
                try bus.settle()
            }
            precondition(bus.exhaustedCount == 5, "\(bus.exhaustedCount) connections were closed")
            precondition(peers.dropFirst().allSatisfy(\.isAtEnd))
            bus.onMessage = TestedTransport.echo
            peers[0].write(RawPeer.frame([1]))
            try bus.settle()
            precondition(peers[0].read() == RawPeer.frame([1]), "the first peer is not served")
            limit.rlim_cur = all
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let late = try RawPeer(bus.path)
            late.write(RawPeer.start)
            // Not even one descriptor is left: the connection waits, and ends no wait.
            limit.rlim_cur = 3
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            try bus.settle()
            precondition(bus.exhaustedCount == 6, "\(bus.exhaustedCount) reports")
            for _ in 0..<5 {
                try bus.settle()
            }
            precondition(bus.exhaustedCount == 6, "the listener ends each wait")
            precondition(bus.nextDeadline != nil)
            limit.rlim_cur = all
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            bus.skippedTime = .milliseconds(101)
            try bus.run { bus.connected.count == 2 }
        }
    }
}

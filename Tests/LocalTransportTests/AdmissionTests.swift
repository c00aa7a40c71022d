// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing

@testable import LocalTransport

@Suite struct AdmissionTests {
    // MARK: - Limits

    @Test
    func `a user may have so many connections without a handshake, and others are not hindered`() {
        var admission = Admission(AdmissionLimits(unopenedPerUser: 3, perUser: 10, total: 20))
        for _ in 0..<3 {
            #expect(admission.admit(1, at: .zero) == nil)
        }
        #expect(admission.admit(1, at: .zero) == .tooManyUnopened(limit: 3))
        #expect(admission.admit(2, at: .zero) == nil)
        admission.open(1)
        #expect(admission.admit(1, at: .zero) == nil)
        #expect(admission.admit(1, at: .zero) == .tooManyUnopened(limit: 3))
        admission.remove(1, wasOpen: false, at: .zero)
        #expect(admission.admit(1, at: .zero) == nil)
        admission.remove(1, wasOpen: true, at: .zero)
        #expect(admission.admit(1, at: .zero) == .tooManyUnopened(limit: 3))
    }

    @Test func `connections of a user and of all users have bounds`() {
        var admission = Admission(AdmissionLimits(unopenedPerUser: 9, perUser: 2, total: 3))
        #expect(admission.admit(1, at: .zero) == nil)
        #expect(admission.admit(1, at: .zero) == nil)
        #expect(admission.admit(1, at: .zero) == .tooManyOfUser(limit: 2))
        #expect(admission.admit(2, at: .zero) == nil)
        #expect(admission.admit(2, at: .zero) == .tooMany(limit: 3))
        #expect(admission.count == 3)
    }

    @Test func `new connections of a user are bounded per second, whether they end or not`() {
        var admission = Admission(
            AdmissionLimits(unopenedPerUser: 99, newPerSecond: 10, perUser: 99, total: 99))
        for _ in 0..<10 {
            #expect(admission.admit(1, at: .zero) == nil)
            admission.remove(1, wasOpen: false, at: .zero)
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

    // MARK: - Connections

    @Test func `the 65th connection without a handshake is closed before a byte of it is read`()
        throws
    {
        let bus = try TestedTransport()
        let silent = try (0..<64).map { _ in try RawPeer(bus.path) }
        try bus.run { bus.connectionCount == 64 }
        let late = try RawPeer(bus.path)
        late.write(RawPeer.start)
        try bus.run { !bus.refused.isEmpty }
        #expect(bus.refused == [.limit(.tooManyUnopened(limit: 64))])
        #expect(late.isAtEnd)
        #expect(late.read().isEmpty)
        // Those that were there are served, and make room.
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

    @Test func `a flood of connections of one user lets another connection be served`() throws {
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

    @Test func `an idle connection takes little memory`() throws {
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

    @Test func `connections are closed when descriptors run out, and accepted when there are some`()
        async
    {
        await #expect(processExitsWith: .success) {
            let bus = try TestedTransport()
            var peers = [try RawPeer(bus.path)]
            peers[0].write(RawPeer.start)
            try bus.run { bus.connected.count == 1 }
            _ = peers[0].read()
            // The peers have their descriptors; none is left to accept their connections.
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

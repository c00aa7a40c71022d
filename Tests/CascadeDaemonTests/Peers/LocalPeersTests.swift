// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeTestSupport
import Glibc
import Logging
import Testing

@testable import CascadeDaemon
@testable import LocalTransport

@Suite struct LocalPeersTests {
    private static let lookSeconds = 10

    private func instant(_ seconds: Int) -> Instant {
        Instant(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    private func serve(_ path: String) throws -> LocalPeers {
        try LocalPeers.serve(
            [try Listener(path: path)],
            BrokerConfiguration(bus: "ipc://\(path)", release: "test", processID: 1),
            try DescriptorLimits(
                Limits(), descriptorMax: 1_024, isShared: false, usesLibzmq: false),
            sharesPeerIDs: false)
    }

    @Test func `a socket file that was removed or replaced is reported once`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/bus.sock"
        var peers = try serve(path)
        func reports(at seconds: Int) -> [LogRecord] {
            peers.beginTurn(at: instant(seconds))
            while peers.next(at: instant(seconds)) != nil {}
            return peers.takeReports()
        }
        #expect(reports(at: 1).isEmpty)
        unlink(path)
        // The next look is due after a while, and the thread wakes for it.
        #expect(peers.nextDeadline(at: instant(1)) == instant(1 + Self.lookSeconds))
        #expect(reports(at: Self.lookSeconds).isEmpty)
        let removed = reports(at: 1 + Self.lookSeconds)
        #expect(removed.map(\.kind) == [.unreachableSocket])
        #expect(removed.first?.level == .error)
        #expect(removed.first?.sentence.contains("\(path) was removed") == true)
        #expect(reports(at: 1 + 2 * Self.lookSeconds).isEmpty)
    }

    @Test func `a socket that another process has shut down is reported`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/bus.sock"
        var peers = try serve(path)
        let listener = try #require(peers.transport.listeners.first)
        try #require(shutdown(listener.descriptor, Int32(SHUT_RDWR)) == 0)
        peers.beginTurn(at: instant(1))
        while peers.next(at: instant(1)) != nil {}
        let reports = peers.takeReports()
        #expect(reports.map(\.kind) == [.unreachableSocket])
        #expect(reports.first?.sentence.contains("socket \(path): no new process") == true)
    }

    @Test func `another file at the path of the socket is reported`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/bus.sock"
        var peers = try serve(path)
        peers.beginTurn(at: instant(1))
        let other = try Listener(path: "\(directory.path)/other.sock")
        try #require(rename("\(directory.path)/other.sock", path) == 0)
        peers.beginTurn(at: instant(1 + Self.lookSeconds))
        let replaced = peers.takeReports()
        #expect(replaced.map(\.kind) == [.unreachableSocket])
        #expect(replaced.first?.sentence.contains("\(path) was replaced") == true)
        _ = consume other
    }
}

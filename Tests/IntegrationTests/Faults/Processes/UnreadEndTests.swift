// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    /// The daemon stops while megabytes are under way to a process.
    @FaultThread
    @Suite(.onlyBuiltin("libzmq does not tell what it has dropped")) struct UnreadEndTests {
        private static let byteCount = 1 << 16
        private static let publicationCount = 128

        @Test func `a process that reads gets all that was sent before the daemon has stopped`()
            throws
        {
            try FaultBus.open { bus in
                let reader = try subscribedToUnread(bus)
                bus.daemon.signal(SIGTERM)
                var publicationCount = 0
                var last: [UInt8] = []
                while let frame = try reader.readFrame() {
                    publicationCount += frame.count > Self.byteCount ? 1 : 0
                    last = frame
                }
                let ending = try bus.daemon.end()
                #expect(ending.exitCode == 0)
                #expect(!ending.diagnostics.text.contains("were dropped"))
                #expect(publicationCount == Self.publicationCount)
                #expect(try Violation(parsing: last).code == .shuttingDown)
                try bus.startDaemon()
                try bus.wait("/witness", "live")
            }
        }

        @Test func `the log names the bytes that a process did not read before the daemon stopped`()
            throws
        {
            try FaultBus.open { bus in
                let reader = try subscribedToUnread(bus)
                bus.daemon.signal(SIGTERM)
                let line = try bus.daemon.diagnostics.line(containing: "were dropped")
                #expect(line?.contains("process \(getpid())") == true)
                let words = (line ?? "").split(separator: " ")
                let byteCount = words.firstIndex(of: "bytes").flatMap { Int(words[$0 - 1]) } ?? 0
                let all = Self.publicationCount * Self.byteCount
                // The kernel has taken some.
                #expect((all / 2...all + all / 16).contains(byteCount), "\(line ?? "")")
                #expect(try bus.daemon.end().exitCode == 0)
                try bus.startDaemon()
                try bus.wait("/witness", "live")
                withExtendedLifetime(reader) {}
            }
        }

        /// A connection that has subscribed, and for which 8 MiB of publications wait.
        private func subscribedToUnread(_ bus: FaultBus) throws -> RawStream {
            let reader = try RawStream.opened(bus.socketPath)
            let hello = Hello(session: .random(), program: "reader", processID: UInt32(getpid()))
            reader.write(frame: hello.encoded())
            let node = NodeDeclaration(
                path: "/reader", subscriptions: [EventName("Menu")], prefetch: 1_024)
            reader.write(frame: Attach(request: 1, nodes: [node]).encoded())
            _ = try reader.read(64)
            while let frame = try reader.readFrame() {
                // READY comes first, which is a command of ZMTP.
                if let header = try? Header(parsing: frame), header.command == .attached {
                    break
                }
            }
            let publisher = try RawPeer.greeted(bus.endpoint)
            for _ in 1...Self.publicationCount {
                try publisher.emit("Menu", byteCount: Self.byteCount)
                try publisher.awaitAnswer()
            }
            return reader
        }
    }
}

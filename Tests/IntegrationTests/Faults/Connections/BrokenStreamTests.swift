// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Faults {
    /// Connections that complete the handshake of ZMTP, and then break its rules.
    @FaultThread
    @Suite(.onlyBuiltin("libzmq does not tell why it has closed a connection"))
    struct BrokenStreamTests {
        private static let isCommand: UInt8 = 4

        @Test func `a command of another socket type ends the connection, and the log names it`()
            throws
        {
            try FaultBus.open { bus in
                let stream = try RawStream.opened(bus.socketPath)
                stream.write(
                    frame: [9] + Array("SUBSCRIBE".utf8) + Array("Menu".utf8), flags: Self.isCommand
                )
                #expect(stream.closedAfter(atMost: Patience.milliseconds) != nil)
                let line = try bus.daemon.diagnostics.line(
                    containing: "the command SUBSCRIBE is not valid here")
                #expect(line?.contains("process \(getpid())") == true)
            }
        }

        @Test func `a connection that sends only unknown commands stays, with one line in the log`()
            throws
        {
            try FaultBus.open { bus in
                let stream = try RawStream.opened(bus.socketPath)
                let command = [Self.isCommand, 7, 6] + Array("GOSSIP".utf8)
                for _ in 1...100 {
                    stream.write([[UInt8]](repeating: command, count: 100).flatMap(\.self))
                }
                // The end of the connection shows that the daemon has read all commands.
                stream.write(frame: [9] + Array("SUBSCRIBE".utf8), flags: Self.isCommand)
                _ = try stream.readToEnd()
                _ = try bus.daemon.diagnostics.line(containing: "the command SUBSCRIBE")
                let lines = bus.daemon.diagnostics.text.split(separator: "\n").filter {
                    $0.contains("GOSSIP")
                }
                #expect(lines.count == 1)
                #expect(lines.first?.contains("commands that ZMTP does not define") == true)
                #expect(lines.first?.contains("process \(getpid())") == true)
            }
        }

        @Test func `a connection that sends PING and reads no answer is ended by its unread bytes`()
            throws
        {
            try FaultBus.open(["--limit", "unreadBytes=1048576"]) { bus in
                let stream = try RawStream.opened(bus.socketPath)
                let ping =
                    [Self.isCommand, 23, 4] + Array("PING".utf8) + [0, 0]
                    + [UInt8](repeating: 7, count: 16)
                let pings = [[UInt8]](repeating: ping, count: 4_000).flatMap(\.self)
                // 4 MB; the last are not read.
                for _ in 1...40 {
                    stream.write(pings)
                }
                let line = try bus.daemon.diagnostics.line(containing: "does not read")
                #expect(line?.contains("limit unreadBytes") == true, "\(line ?? "")")
                #expect(stream.closedAfter(atMost: Patience.milliseconds) != nil)
            }
        }

        @Test func `a message of more frames than the transport allows ends the connection`() throws
        {
            try FaultBus.open { bus in
                let stream = try RawStream.opened(bus.socketPath)
                let limit = 16_384
                stream.write([[UInt8]](repeating: [1, 0], count: limit + 1).flatMap(\.self))
                #expect(stream.closedAfter(atMost: Patience.milliseconds) != nil)
                let line = try bus.daemon.diagnostics.line(
                    containing: "a message exceeds the limit of \(limit) frames")
                #expect(line?.contains("process \(getpid())") == true)
            }
        }

        @Test func `a connection that ends within a message has a line in the log`() throws {
            try FaultBus.open { bus in
                var stream: RawStream? = try RawStream.opened(bus.socketPath)
                // As much as a process has written that is killed within a frame of 100 bytes.
                stream?.write([0, 100, 1, 2, 3])
                _ = try stream?.read(64)
                stream = nil
                let count = 64 + StrangerTests.ready.count + 5
                let line = try bus.daemon.diagnostics.line(
                    containing: "within its handshake or a message after \(count) bytes")
                #expect(line?.contains("process \(getpid())") == true)
            }
        }
    }
}

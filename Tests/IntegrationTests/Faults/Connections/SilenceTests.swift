// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct SilenceTests {
        @Test func `a connection silent at any point of its handshake is closed at the deadline`()
            throws
        {
            try FaultBus.open(["--greeting", "1s"]) { bus in
                let nothing = try RawStream(bus.socketPath)
                let greeting = try RawStream(bus.socketPath)
                greeting.write(StrangerTests.greeting("NULL"))
                let handshake = try RawStream(bus.socketPath)
                handshake.write(StrangerTests.greeting("NULL"))
                _ = try handshake.read(64)
                handshake.write(StrangerTests.ready)
                for (what, stream) in [
                    ("silent from the start", nothing), ("silent behind a greeting", greeting),
                    ("silent behind the handshake", handshake),
                ] {
                    let closed = stream.closedAfter(atMost: Patience.milliseconds)
                    #expect(closed ?? 0 > 900, "\(what)")
                    print("\(what): cut off after \(closed.map { "\($0) ms" } ?? "never")")
                }
                #expect(try bus.counters()["triggered"] == 0)
                guard !ChosenTransport.isLibzmq else {
                    // The timers of the guard and of libzmq race, so the log has either message.
                    let line = try bus.daemon.diagnostics.line(containing: "process \(getpid())")
                    let words = try #require(line)
                    #expect(
                        words.contains("sent no message") || words.contains("without a message"))
                    return
                }
                for sentence in [
                    "the handshake was not complete in time after 0 bytes",
                    "the handshake was not complete in time after 64 bytes",
                    "no greeting came within 1000 ms",
                ] {
                    let line = try bus.daemon.diagnostics.anyLine(containing: sentence)
                    #expect(line?.contains("process \(getpid())") == true, "\(sentence)")
                }
            }
        }

        // Writes one byte, and the next after a tenth of a second if the connection is still open.
        @Test func `a connection that sends a byte at a time is closed at the deadline`() throws {
            try FaultBus.open(["--greeting", "1s"]) { bus in
                let stream = try RawStream(bus.socketPath)
                var closed: Double?
                for byte in StrangerTests.greeting("NULL") + StrangerTests.ready {
                    stream.write([byte])
                    closed = stream.closedAfter(atMost: 100)
                    if closed != nil {
                        break
                    }
                }
                #expect(closed ?? .infinity < 5_000)
                if !ChosenTransport.isLibzmq {
                    let line = try bus.daemon.diagnostics.line(containing: "not complete in time")
                    #expect(line?.contains("process \(getpid())") == true)
                }
            }
        }

        @Test func `a greeted session may be silent beyond the deadline`() throws {
            try FaultBus.open(["--greeting", "300ms"]) { bus in
                let peer = try RawPeer.greeted(bus.endpoint)
                // The deadline of a later connection shows that the session's has passed.
                let silent = try RawStream(bus.socketPath)
                #expect(silent.closedAfter(atMost: 5_000) != nil)
                try peer.query()
            }
        }
    }
}

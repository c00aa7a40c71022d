// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct StrangerTests {
        private static let signature: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F]

        /// The first 64 bytes of a peer that speaks ZMTP 3.
        static func greeting(_ mechanism: String) -> [UInt8] {
            let name = Array(mechanism.utf8)
            return signature + [3, 0] + name + [UInt8](repeating: 0, count: 52 - name.count)
        }

        static let ready: [UInt8] =
            [4, 26, 5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6]
            + Array("DEALER".utf8)

        private static func rubbish() -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<512).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }

        private static var openings: [(what: String, bytes: [UInt8])] {
            let hello = Hello(session: .random(), program: "stranger", processID: 1).encoded()
            let request = "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n"
            let clientHello: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + rubbish()
            return [
                ("HTTP", Array(request.utf8)),
                ("TLS", clientHello),
                ("random bytes", [0x00] + rubbish()),
                ("random bytes behind 0xFF", [0xFF] + rubbish()),
                ("random bytes behind a signature", signature + [3] + rubbish()),
                ("ZMTP 1.0", [1, 0, UInt8(hello.count + 1), 0] + hello),
                ("ZMTP 2.0", signature + [1, 5, 0, 0, 0, UInt8(hello.count)] + hello),
                ("ZMTP 3 with PLAIN", greeting("PLAIN") + ready),
                ("half a greeting", Array(greeting("NULL").prefix(20))),
                ("nothing", []),
            ]
        }

        @Test func `a peer that does not speak ZMTP 3 is disconnected at the deadline`() throws {
            try FaultBus.open(["--greeting", "1s"]) { bus in
                var closings: [String] = []
                for (what, bytes) in Self.openings {
                    let stream = try RawStream(bus.socketPath)
                    stream.write(bytes)
                    // The handshake may take 1 s; the rest is tolerance for a busy machine.
                    let closed = stream.closedAfter(atMost: 5_000)
                    closings.append("\(what): \(closed.map { "\($0) ms" } ?? "never")")
                    #expect(closed != nil, "\(what)")
                }
                print("strangers cut off after", closings.joined(separator: ", "))
                let line = try bus.daemon.diagnostics.line(containing: "without a message")
                #expect(line?.contains("process \(getpid())") == true)
                let counters = try bus.counters()
                #expect(counters["triggered"] == 0 && counters["violations"] == 0)
            }
        }

        @Test func `a frame that announces more than the limit ends its connection`() throws {
            try FaultBus.open { bus in
                for size in [UInt64(1) << 63, .max, 1 << 40, 64 << 20] {
                    let stream = try RawStream(bus.socketPath)
                    stream.write(Self.greeting("NULL"))
                    _ = try stream.read(64)
                    stream.write(Self.ready)
                    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) }
                    stream.write([2] + bytes + Header(.beat).encoded())
                    #expect(stream.closedAfter(atMost: 3_000) != nil, "\(size) bytes")
                }
            }
        }

        @Test func `a peer of an unknown version is refused with both ranges of versions`() throws {
            try FaultBus.open { bus in
                let hello = Hello(
                    versions: 2...3, session: .random(), program: "raw peer", processID: 1)
                let known = "\(ProtocolVersion.min) to \(ProtocolVersion.max)"
                let offences = [
                    Offence(.versionMismatch, "2 to 3", hello.encoded()),
                    Offence(.versionMismatch, known, hello.encoded()),
                ]
                for offence in offences {
                    try offence.commit(bus, isGreeted: false)
                }
                // A peer that also speaks a known version is welcomed.
                let peer = try RawPeer(bus.endpoint)
                var both = hello
                both.versions = 1...3
                try peer.send(both)
                #expect(try peer.next(Welcome.self).version == ProtocolVersion.max)
            }
        }

        @Test func `the command line reports the versions of a daemon that refuses it`() throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let endpoint = "ipc://\(directory)/bus.sock"
            let daemon = try FakeDaemon(endpoint)
            let sentence = "the peer speaks versions 1 to 1, this daemon \u{1B}[31m0 to 0"
            for arguments in [["ping"], ["attach", "/kitchen", "--handle", "Order"], ["tree"]] {
                let program = try SpawnedProgram("cascadectl", arguments, bus: endpoint)
                try daemon.answerGreeting(with: Violation(.versionMismatch, sentence))
                let ending = try program.end()
                #expect(ending.exitCode == 76)
                #expect(ending.output.bytes.isEmpty)
                #expect(ending.diagnostics.text.contains("versions 1 to 1"))
                #expect(ending.diagnostics.text.contains("0 to 0"))
                #expect(ending.diagnostics.text.drivesNoTerminal)
            }
        }
    }
}

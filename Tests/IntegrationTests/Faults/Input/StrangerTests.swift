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
            [4, 28, 5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6]
            + Array("DEALER".utf8)

        private static func rubbish() -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<512).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }

        /// A READY whose identity has this number of bytes.
        private static func ready(identityByteCount: Int) -> [UInt8] {
            let size = withUnsafeBytes(of: UInt32(identityByteCount).bigEndian) { Array($0) }
            let body = [UInt8](ready[2...]) + [8] + Array("Identity".utf8) + size
            let identity = [UInt8](repeating: 7, count: identityByteCount)
            let count = UInt64(body.count + identity.count).bigEndian
            return [6] + withUnsafeBytes(of: count) { Array($0) } + body + identity
        }

        /// The first bytes of peers, and what the log says about each.
        ///
        /// The log admits ten such lines in a second. Two peers are cut off after a second each, so that
        /// fewer than ten are refused in between.
        private static var openings: [(what: String, bytes: [UInt8], sentence: String)] {
            let hello = Hello(session: .random(), program: "stranger", processID: 1).encoded()
            let request = "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n"
            let clientHello: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + rubbish()
            let curveHello: [UInt8] = [4, 200, 5] + Array("HELLO".utf8) + rubbish().prefix(194)
            return [
                ("HTTP", Array(request.utf8), "its first byte is 0x47"),
                ("TLS", clientHello, "its first byte is 0x16"),
                ("random bytes", [0x00] + rubbish(), "its first byte is 0x00"),
                (
                    "random bytes behind 0xFF", [0xFF] + rubbish().prefix(8) + [0x41] + rubbish(),
                    "the signature of the greeting ends with 0x41 instead of 0x7F"
                ),
                (
                    "half a greeting", Array(greeting("NULL").prefix(20)),
                    "the handshake was not complete in time after 0 bytes"
                ),
                (
                    "random bytes behind a signature", signature + [3] + rubbish(),
                    "the peer demands the security mechanism"
                ),
                (
                    "ZMTP 1.0", [1, 0, UInt8(hello.count + 1), 0] + hello,
                    "the peer speaks ZMTP 1.0 or another protocol (its first byte is 0x01)"
                ),
                (
                    "ZMTP 2.0", signature + [1, 5, 0, 0, 0, UInt8(hello.count)] + hello,
                    "the peer speaks ZMTP 2.0, and 3.0 or later is required"
                ),
                ("ZMTP 3 with PLAIN", greeting("PLAIN") + ready, "the security mechanism 'PLAIN'"),
                (
                    "ZMTP 3 with CURVE", greeting("CURVE") + curveHello,
                    "the security mechanism 'CURVE'"
                ),
                (
                    "an identity of 256 bytes", greeting("NULL") + ready(identityByteCount: 256),
                    "the identity is longer than 255 bytes"
                ),
                ("nothing", [], "the handshake was not complete in time after 0 bytes"),
            ]
        }

        @Test func `a peer that does not speak ZMTP 3 is disconnected, and the log says why`()
            throws
        {
            try FaultBus.open(["--greeting", "1s"]) { bus in
                var closings: [String] = []
                for (what, bytes, sentence) in Self.openings {
                    let stream = try RawStream(bus.socketPath)
                    stream.write(bytes)
                    // The handshake may take 1 s; the rest is tolerance for a busy machine.
                    let closed = stream.closedAfter(atMost: 5_000)
                    closings.append("\(what): \(closed.map { "\($0) ms" } ?? "never")")
                    #expect(closed != nil, "\(what)")
                    // libzmq gives no reason, and its guard writes one line for several connections.
                    if !ChosenTransport.isLibzmq {
                        let line = try bus.daemon.diagnostics.line(containing: sentence)
                        #expect(line?.contains("process \(getpid())") == true, "\(what)")
                        #expect(line?.contains("ended without a message") == true, "\(what)")
                    }
                }
                print("strangers cut off after", closings.joined(separator: ", "))
                let line = try bus.daemon.diagnostics.anyLine(containing: "without a message")
                #expect(line?.contains("process \(getpid())") == true)
                let counters = try bus.counters()
                #expect(counters["triggered"] == 0 && counters["violations"] == 0)
            }
        }

        @Test func `a frame that announces more than the limit ends its connection`() throws {
            try FaultBus.open { bus in
                let lies: [(size: UInt64, sentence: String)] = [
                    (1 << 63, "exceeds the range of ZMTP"), (.max, "exceeds the range of ZMTP"),
                    (1 << 40, "exceeds the limit of"), (64 << 20, "exceeds the limit of"),
                ]
                for (size, sentence) in lies {
                    let stream = try RawStream(bus.socketPath)
                    stream.write(Self.greeting("NULL"))
                    _ = try stream.read(64)
                    stream.write(Self.ready)
                    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) }
                    stream.write([2] + bytes + Header(.beat).encoded())
                    #expect(stream.closedAfter(atMost: 3_000) != nil, "\(size) bytes")
                    if !ChosenTransport.isLibzmq {
                        let line = try bus.daemon.diagnostics.line(
                            containing: "a frame of \(size) bytes")
                        #expect(line?.contains("process \(getpid())") == true)
                        #expect(line?.contains(sentence) == true, "\(size) bytes")
                    }
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

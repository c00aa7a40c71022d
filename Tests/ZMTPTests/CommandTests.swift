// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZMTP

@Suite struct CommandTests {
    /// The offset of the first byte after the handshake.
    private let start = Octets.dealerStart.count

    private func opened() -> Receiver {
        let receiver = Receiver(.router)
        receiver.receive(Octets.dealerStart)
        return receiver
    }

    @Test(arguments: 0...16) func `PONG returns the context of PING`(count: UInt8) {
        let context = (0..<count).map { 255 - $0 }
        let receiver = opened()
        receiver.receive(Octets.command("PING", [0, 10] + context))
        #expect(receiver.records.last == .sent(Octets.command("PONG", context)))
        #expect(receiver.peerTimeToLive == .seconds(1))
        receiver.receive(Octets.command("PONG", context))
        #expect(receiver.records.last == .pong(context))
    }

    @Test func `the longest time to live is 6,553.5 seconds`() {
        let receiver = opened()
        receiver.receive(Octets.command("PING", [255, 255]))
        #expect(receiver.peerTimeToLive == .milliseconds(6_553_500))
    }

    @Test(arguments: [("PING", 0), ("PING", 1), ("PING", 19), ("PONG", 17)])
    func `PING and PONG of a wrong length are refused`(name: String, count: Int) {
        let receiver = opened()
        receiver.receive(Octets.command(name, [UInt8](repeating: 0, count: count)))
        #expect(receiver.fault == faultAt(start + 7, .malformedCommand(name)))
    }

    @Test(arguments: ["SUBSCRIBE", "CANCEL", "JOIN", "LEAVE"])
    func `commands of other socket types are refused`(name: String) {
        let receiver = opened()
        receiver.receive(Octets.command(name, Array("topic".utf8)))
        #expect(receiver.fault == faultAt(start + 3, .unexpectedCommand(name)))
    }

    @Test func `a command that the RFC does not define is ignored`() {
        let receiver = opened()
        receiver.receive(
            Octets.command("Hello", [1, 2, 3]) + Octets.command("ping") + Octets.message([[1]]))
        #expect(
            receiver.records.suffix(3) == [
                .unknownCommand("Hello"), .unknownCommand("ping"), .message([[1]]),
            ])
    }

    @Test func `a command without a valid name is refused`() {
        for body in [[], [0], [0, 0x41], [2, 0x41], [255, 0x41], [1, 0x20], [1, 0x31]] as [[UInt8]]
        {
            let receiver = opened()
            receiver.receive(Octets.frame(flags: 4, body))
            #expect(receiver.fault?.reason == .malformedCommand(""), "\(body)")
        }
    }

    @Test func `ERROR ends an open connection, with a reason that is safe to log`() {
        let receiver = opened()
        receiver.receive(Octets.command("ERROR", [4, 0x6E, 0x6F, 0x1B, 0x0A]))
        #expect(receiver.fault == faultAt(start + 3, .refusedByPeer("no\\x1B\\x0A")))
        #expect(
            receiver.fault?.description == """
                the peer refused the connection with ERROR 'no\\x1B\\x0A' at byte \(start + 4)
                """)
    }

    @Test(arguments: [[], [1], [2, 0x61], [1, 0x61, 0x62]] as [[UInt8]])
    func `ERROR whose reason has another length is malformed`(data: [UInt8]) {
        let receiver = Receiver(.dealer)
        receiver.receive(Octets.greeting() + Octets.command("ERROR", data))
        #expect(receiver.fault?.reason == .malformedCommand("ERROR"))
    }

    @Test func `bytes after a failure are ignored`() {
        let receiver = opened()
        receiver.receive(Octets.command("LEAVE") + Octets.message([[1]]))
        let count = receiver.records.count
        receiver.receive(Octets.message([[2]]))
        receiver.endOfStream()
        #expect(receiver.records.count == count)
        #expect(!receiver.isOpen)
    }

    @Test func `a connection takes at most 512 bytes`() {
        #expect(MemoryLayout<Connection>.size <= 512)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal
import CascadeSimulator
import CascadeWire
import Testing

// Later releases read a journal of release 0.1.0. The bytes were written by such a daemon and must
// not change.
@Suite struct Release010Tests {
    /// `/kitchen/oven`, of user 0, has triggered two durable events. The first, `Order`, was
    /// handled at `/kitchen`, and no peer has received the outcome; the second, `Coal`, is held.
    private static let journal = """
        435343444a524e4c01000000000000000100000000000000efe1b00c5add965200000000b571
        d9274a524e4ca40000000100000000000000c09b09e57c8d46252c8731140aa575bb01000000
        000000000100000024b5161b00000000c2c7d471109a000068000000ffffffff000000000000
        0000000000000100000000000000ffffffff0000000030750000000000001900050000004f72
        64657232000d0000002f6b69746368656e2f6f76656e040010000000c09b09e57c8d46252c87
        31140aa575bb710004000000000000007200080000002f6b69746368656e7400080000005361
        26050000000073000800000053050000000000007b226b696c6f73223a32307d000000004a52
        4e4ca30000000200000000000000c09b09e57c8d46252c8731140aa575bb0200000000000000
        010000009b62146900000000df993bdf109a000067000000ffffffff00000000000000000000
        00000200000000000000ffffffff000000003075000000000000190004000000436f616c3200
        0d0000002f6b69746368656e2f6f76656e040010000000c09b09e57c8d46252c8731140aa575
        bb710004000000000000007200080000002f6b69746368656e74000800000054612605000000
        0073000800000054050000000000007b226b696c6f73223a33307d00000000004a524e4ca300
        00000300000000000000c09b09e57c8d46252c8731140aa575bb010000000000000001000000
        b3a01b75000000003aa405ba1a00000073000000ffffffff0000000000000000000000000100
        000000000000ffffffff00000000b22d26000100000033001900000008002f6b69746368656e
        00000205004f7264657202f02126001900050000004f7264657232000d0000002f6b69746368
        656e2f6f76656e7000080000002f6b69746368656e3c0018000000c09b09e57c8d46252c8731
        140aa575bb0100000000000000710004000000000000000000000000
        """

    private static let session = SessionID(high: 0x2546_8D7C_E509_9BC0, low: 0xBB75_A50A_1431_872C)

    @Test func `a journal of release 0.1.0 is read without loss`() throws {
        let report = try Self.opened()
        #expect(report.records.count == 2)
        #expect(report.damagedCount == 0 && report.droppedByteCount == 0)
    }

    @Test func `events of a journal of release 0.1.0 have their outcomes and their user`() throws {
        var bus = try RecoveredBus(Self.opened().records)
        #expect(try bus.greet(Self.session, userID: 7) == .violation)
        let peer = try bus.peer(Self.session, userID: 0)
        let first = try bus.recall(1, by: peer)
        #expect(first?.ended.code == .handled && first?.handler == "/kitchen")
        // The event is held, so it has no outcome yet.
        #expect(try bus.recall(2, by: peer) == nil)
        #expect(try bus.recall(3, by: peer)?.ended.failure?.name == EventName(.durableLost))
    }

    private static func opened() throws -> JournalReport {
        var folder = SimulatedFolder()
        let name = "00000000000000000001.journal"
        try folder.create(name)
        try folder.write([UInt8](hex: journal), to: name, at: 0)
        try folder.sync(name)
        var journal = Journal(disk: folder) { 1 }
        return try journal.open()
    }
}

/// A broker that has recovered a journal, and the peers that greet it.
private struct RecoveredBus: ~Copyable {
    private var broker: Broker
    private var lastPeer: UInt32 = 0
    private let now = Instant(nanoseconds: 1_000_000_000)
    /// What the broker has sent after the last input.
    private var messages: [[UInt8]] = []

    init(_ records: [[UInt8]]) {
        var configuration = BrokerConfiguration(bus: "test", release: "1", processID: 1)
        configuration.keepsDurable = true
        broker = Broker(configuration: configuration, at: now)
        _ = handle(.recovered(records, fault: nil))
    }

    private mutating func handle(_ input: Input) -> [[UInt8]] {
        var effects: [Effect] = []
        broker.handle(input, at: now, into: &effects)
        messages = []
        perform(effects)
        return messages
    }

    private mutating func hear(_ message: [UInt8], from peer: PeerID) throws -> [[UInt8]] {
        handle(.received(peer, OwnedPayload(message)))
    }

    private mutating func greeted(
        _ session: SessionID, userID: UInt32
    ) throws -> (peer: PeerID, answer: Command?) {
        let peer = PeerID(index: lastPeer, generation: 1)
        lastPeer += 1
        let credentials = Credentials(processID: 9, userID: userID, groupID: userID)
        _ = handle(.connected(peer, credentials))
        let hello = Hello(session: session, program: "oven", processID: 9)
        let answers = try hear(hello.encoded(), from: peer)
        return (peer, try answers.first.map { try Header(parsing: $0).command })
    }

    mutating func greet(_ session: SessionID, userID: UInt32) throws -> Command? {
        try greeted(session, userID: userID).answer
    }

    mutating func peer(_ session: SessionID, userID: UInt32) throws -> PeerID {
        let greeted = try greeted(session, userID: userID)
        try #require(greeted.answer == .welcome)
        return greeted.peer
    }

    mutating func recall(_ sequence: UInt64, by peer: PeerID) throws -> Settled? {
        let answers = try hear(Header(.recall, sequence: sequence).encoded(), from: peer)
        return try answers.first.map { try Settled(parsing: $0) }
    }
}

extension RecoveredBus: BrokerHost {
    mutating func send(_ message: [UInt8], to peer: PeerID) {
        messages.append(message)
    }

    mutating func forward(_ forwarded: Forward) {
        messages += forwarded.messages
    }

    mutating func disconnect(_ peer: PeerID) {}

    mutating func persist(_ entry: JournalEntry) {}

    mutating func log(_ entry: LogEntry) {}
}

extension [UInt8] {
    /// Creates the bytes from hexadecimal digits.
    fileprivate init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { place in
            UInt8(digits[place] << 4 | digits[place + 1])
        }
    }
}

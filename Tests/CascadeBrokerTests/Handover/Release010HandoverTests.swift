// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

// A handover of release 0.1.0 is restored. The bytes were written by such a daemon.
@Suite struct Release010HandoverTests {
    /// `/kitchen`, `/hall` and `/bar`, of user 0, attached in this order; `/bar` was deactivated.
    /// `/kitchen/oven` was lost. `Lost` of `/kitchen` was not handled.
    private static let handover = """
        636173636164652068616e646f76657220310a01080000000400000000000000023700000001
        00070000006b69746368656e3100000000000000009ed56628b2010000e9b26bb99131fa7469
        b79b4f05e9db14010000000000000003021b0000000200040000006f76656e12000000000000
        0000475c1190b2010000023400000001000400000068616c6c310000000000000000cd6ed132
        b2010000f19c4585f869092fa87231e1e746e9ef020000000000000003023300000001000300
        0000626172310000000000000000e698323bb2010000394616dd7137fa1128f04738a50302df
        0300000000000000020475000000f9fb1d159912b727c043b42239427eed0100000000000000
        040000004c6f737400080000002f6b69746368656e080000002f6b69746368656e0000000030
        7500009baa5f49b20100000200000000180000001900040000004c6f73743200080000002f6b
        69746368656e070000007b226e223a317d
        """

    private static func read() throws -> Handover {
        let digits = handover.compactMap(\.hexDigitValue)
        return try Handover(
            decoding: stride(from: 0, to: digits.count - 1, by: 2).map { place in
                UInt8(digits[place] << 4 | digits[place + 1])
            })
    }

    @Test func `a handover of release 0.1.0 is read without loss`() throws {
        let read = try Self.read()
        #expect(read.lastRank == 4)
        #expect(read.places.map(\.component) == ["kitchen", "oven", "hall", "bar"])
        #expect(read.places.map(\.isHeld) == [true, false, true, true])
        #expect(read.places.map(\.former?.rank) == [1, nil, 2, 3])
        #expect(read.places.last?.former?.isActive == false)
        #expect(read.undelivered.map(\.name) == [EventName(unchecked: "Lost")])
        let sessions = read.places.compactMap(\.former?.session)
        #expect(sessions.count == 3 && sessions.allSatisfy { !$0.isProven })
    }

    @Test func `new ranks are greater than the ranks of release 0.1.0`() throws {
        let configuration = BrokerConfiguration(bus: "test", release: "1", processID: 1)
        var broker = Broker(configuration: configuration, at: Instant(nanoseconds: 1 << 41))
        broker.restore(try Self.read())
        #expect(broker.hierarchy.lastRank > 4)
        #expect(broker.sessions.formerOwners.count == 3)
        #expect(broker.sessions.formerOwners.values.allSatisfy { $0 == Owner(userID: 0) })
    }
}

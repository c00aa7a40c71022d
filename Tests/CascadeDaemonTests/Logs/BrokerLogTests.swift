// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeTestSupport
import CascadeWire
import Logging
import Testing

@testable import CascadeDaemon

@Suite struct BrokerLogTests {
    private let now = Instant(nanoseconds: 1)

    private func peer(_ index: UInt32) -> PeerID {
        PeerID(index: index, generation: 1)
    }

    private func makeLog(_ lines: LogLines) -> BrokerLog {
        BrokerLog(Logger(label: "test") { _ in lines })
    }

    @Test func `the lines about one user's processes do not hide those about another's`() {
        let lines = LogLines()
        var log = makeLog(lines)
        log.connected(peer(1), Credentials(processID: 11, userID: 7, groupID: 7))
        log.connected(peer(2), Credentials(processID: 12, userID: 7, groupID: 7))
        log.connected(peer(3), Credentials(processID: 13, userID: 8, groupID: 8))
        for _ in 0..<8 {
            log.write(.violation(processID: 11, .malformed, sentence: "greedy"), at: now)
            log.write(.violation(processID: 12, .malformed, sentence: "greedy"), at: now)
        }
        log.write(.violation(processID: 13, .malformed, sentence: "modest"), at: now)
        #expect(lines.all.count { $0.contains("greedy") } == 10)
        #expect(lines.all.count { $0.contains("modest") } == 1)
        log.close()
        #expect(
            lines.all.last
                == "warning: 6 more messages about protocol violations of user 7 were left out")
    }

    @Test func `a line names the unit of a process while the process has a connection`() {
        let lines = LogLines()
        var log = makeLog(lines)
        let shop = Credentials(
            processID: 11, userID: 7, groupID: 7, groups: [], unit: "shop.service")
        log.connected(peer(1), shop)
        log.connected(peer(2), shop)
        for _ in 1...2 {
            log.write(.unresponsive(processID: 11), at: now)
            log.forget(peer(1))
        }
        log.forget(peer(2))
        log.write(.unresponsive(processID: 11), at: now)
        #expect(
            lines.values(of: LogField.peerUnit.rawValue) == ["shop.service", "shop.service", nil])
    }
}

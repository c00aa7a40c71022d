// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

@Suite struct MessageNeedsTests {
    private func needs(_ header: Header) -> MessageNeeds {
        OwnedPayload(header.encoded()).needs
    }

    @Test func `only an attach needs the exits of processes`() {
        for command in Command.allCases {
            #expect(needs(Header(command)).contains(.exits) == (command == .attach), "\(command)")
        }
    }

    @Test func `only a query for metrics needs the facts about the process`() {
        for subject in [.bus, .undelivered, .check, .rules, .policy] as [Query.Subject] {
            let query = OwnedPayload(Query(request: 1, subject).encoded())
            #expect(query.needs == .boundedTime, "\(subject)")
        }
        #expect(
            OwnedPayload(Query(request: 1, .metrics).encoded()).needs
                == [.processFacts, .boundedTime])
    }

    @Test func `messages that take credit, and answers of nodes, have no bound of time`() {
        for command in [.hello, .beat, .trigger, .accept, .verdict, .publish] as [Command] {
            #expect(needs(Header(command)) == [], "\(command)")
        }
        for command in [.attach, .change, .leave, .query, .cancel, .set] as [Command] {
            #expect(needs(Header(command)).contains(.boundedTime), "\(command)")
        }
    }

    @Test func `bytes that are no message need nothing`() {
        let attach = [Command.attach.rawValue]
        #expect(OwnedPayload([]).needs == [])
        #expect(OwnedPayload([255, 3]).needs == [])
        // The broker refuses what is no whole header; its command counts all the same.
        #expect(OwnedPayload(attach).needs == [.exits, .boundedTime])
        #expect(OwnedPayload([Command.query.rawValue]).needs == .boundedTime)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Testing

@testable import cascade_site

/// A log that expectations can ask: they capture a value as a constant.
private final class TestedLog {
    private var log = LinkLog()

    var lastEnd: String? { log.lastEnd }

    func admits(end: String, before reports: [BridgeReport] = []) -> Bool {
        log.admits(end: end, before: reports)
    }

    func admits(_ report: BridgeReport) -> Bool {
        log.admits(report)
    }

    func admitted(_ reports: GateReport...) -> [GateReport] {
        log.admitted(reports)
    }
}

@Suite struct LinkLogTests {
    private static let unreachable = "the server is not reachable"

    @Test func `the report of a lost link alone says why it has ended`() {
        let log = TestedLog()
        let lost = [BridgeReport.changed(.waiting)]
        #expect(!log.admits(end: "closed", before: lost))
        #expect(log.lastEnd == "closed")
        #expect(lost.allSatisfy { log.admits($0) })
        // The attempts that follow fail for another reason.
        #expect(log.admits(end: Self.unreachable))
        #expect(!log.admits(end: Self.unreachable))
    }

    @Test func `attempts with one result are logged once, until the link is up`() {
        let log = TestedLog()
        for isFirst in [true, false, false] {
            #expect(log.admits(end: Self.unreachable, before: [.changed(.cut)]) == isFirst)
            #expect(log.admits(.changed(.mounting)))
            #expect(log.admits(.changed(.cut)) == isFirst)
            #expect(log.admits(.changed(.refused("policy"))) == isFirst)
        }
        #expect(log.admits(.changed(.refused("another policy"))))
        #expect(log.admits(.changed(.up)))
        #expect(log.lastEnd == nil)
        #expect(log.admits(end: Self.unreachable))
        #expect(log.admits(.changed(.cut)))
        #expect(log.admits(.changed(.refused("another policy"))))
    }

    // MARK: - Children

    private static func opened(_ number: UInt64) -> GateReport {
        .opened(LinkKey("ulm", LinkID(number)), host: "ulm", program: "x", roundTrip: nil)
    }

    private static func ended(_ number: UInt64, _ reason: String) -> GateReport {
        .ended(LinkKey("ulm", LinkID(number)), .closed(reason))
    }

    @Test func `a gate without its bus logs the attempts of a child once`() {
        let log = TestedLog()
        let lost = Self.ended(1, "the bus has closed the connection")
        #expect(log.admitted(Self.opened(1)) == [Self.opened(1)])
        #expect(log.admitted(lost) == [lost])
        let first = Self.ended(2, Self.unreachable)
        #expect(log.admitted(Self.opened(2), first) == [first])
        #expect(log.admitted(Self.opened(3), Self.ended(3, Self.unreachable)).isEmpty)
        #expect(log.admitted(Self.opened(4)) == [Self.opened(4)])
        let later = Self.ended(4, Self.unreachable)
        #expect(log.admitted(later) == [later])
    }

    @Test func `a link that another one replaces is logged with it`() {
        let log = TestedLog()
        _ = log.admitted(Self.opened(1))
        let end = Self.ended(1, "the site has opened another link")
        #expect(log.admitted(end, Self.opened(2)) == [end, Self.opened(2)])
    }

    @Test func `a refusal is logged once for each child and reason`() {
        let log = TestedLog()
        func taken(_ child: SiteName, since seconds: Int) -> GateReport {
            .refused(
                child,
                OpenRefusal(code: .nameTaken, message: "for \(seconds) s", holder: "other"))
        }
        #expect(log.admitted(taken("ulm", since: 1)) == [taken("ulm", since: 1)])
        #expect(log.admitted(taken("ulm", since: 31)).isEmpty)
        #expect(log.admitted(taken("bonn", since: 31)) == [taken("bonn", since: 31)])
        let unknown = GateReport.refused("ulm", OpenRefusal(code: .unknownSite, message: "who?"))
        #expect(log.admitted(unknown, unknown) == [unknown])
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import NATS
import Testing

@testable import cascade_site

/// A log that expectations can ask: they capture a value as a constant.
private final class TestedLog {
    private var logged = LoggedChanges()

    var lastEnd: String? { logged.lastEnd }

    func rootIsHeld() {
        logged.rootIsHeld()
    }

    func admits(homeLoss: String) -> Bool {
        logged.admits(homeLoss: homeLoss)
    }

    func admits(_ report: BridgeReport) -> Bool {
        logged.admits(report)
    }

    /// Ends an attempt to open a link, and returns the reason to log.
    func end(_ reason: String, in state: BridgeState) -> String? {
        logged.linkHasEnded(reason)
        return logged.endToLog(in: state)
    }

    func admits(_ change: ServerChange) -> Bool {
        logged.admits(change)
    }

    func admitted(_ reports: GateReport...) -> [GateReport] {
        logged.admitted(reports)
    }
}

@Suite struct LoggedChangesTests {
    private static let unreachable = "the server is not reachable"

    // MARK: - The link to the parent

    @Test func `a lost link has a line, and so has the end of the patience with it`() {
        let log = TestedLog()
        #expect(log.admits(.changed(.up)))
        #expect(log.end("closed", in: .waiting) == nil)
        #expect(log.admits(.changed(.waiting)))
        // The attempts that follow fail for another reason.
        #expect(log.end(Self.unreachable, in: .waiting) == nil)
        #expect(log.admits(.changed(.cut)))
        #expect(log.lastEnd == Self.unreachable)
        #expect(log.end(Self.unreachable, in: .cut) == nil)
    }

    @Test func `a link that does not come up has a line, until it is up`() {
        let log = TestedLog()
        #expect(log.end("policy", in: .dialling) == "policy")
        for isFirst in [true, false, false] {
            #expect(log.end(Self.unreachable, in: .dialling) == nil)
            #expect(log.admits(.changed(.mounting)))
            #expect(log.admits(.changed(.cut)) == isFirst)
            #expect(log.admits(.changed(.refused("policy"))) == isFirst)
            #expect(log.end("policy", in: .refused("policy")) == nil)
        }
        #expect(log.admits(.changed(.refused("another policy"))))
        #expect(log.admits(.changed(.up)))
        #expect(log.lastEnd == nil)
        #expect(log.end(Self.unreachable, in: .dialling) == Self.unreachable)
        #expect(log.admits(.changed(.refused("another policy"))))
    }

    // MARK: - The bus and the server

    @Test func `a bus that is away has a line, and each refusal, until the root is held`() {
        let log = TestedLog()
        for isFirst in [true, false] {
            #expect(log.admits(homeLoss: "closed") == isFirst)
            #expect(!log.admits(homeLoss: "nobody serves"))
            #expect(log.admits(.homeFault("too many sessions")) == isFirst)
            #expect(log.admits(.homeRefused("held by process 7")) == isFirst)
            #expect(!log.admits(.homeRefused("held by process 8")))
        }
        log.rootIsHeld()
        #expect(log.admits(homeLoss: "closed"))
    }

    @Test func `a server that is away has a line, and each refusal, until the gate is connected`()
        throws
    {
        let log = TestedLog()
        for isFirst in [true, false] {
            #expect(log.admits(.lost("closed")) == isFirst)
            #expect(!log.admits(.lost("unreachable")))
            #expect(log.admits(.refused("not trusted at 05:00")) == isFirst)
            #expect(!log.admits(.refused("not trusted at 05:01")))
        }
        #expect(log.admits(.connected(try #require(ServerAddress("hq.example")))))
        #expect(log.admits(.lost("closed")))
    }

    // MARK: - Children

    private static func opened(_ number: UInt64) -> GateReport {
        .opened(key(number), host: "ulm", program: "x", roundTrip: nil)
    }

    private static func key(_ number: UInt64) -> LinkKey {
        LinkKey("ulm", LinkID(number))
    }

    private static func ended(_ number: UInt64, _ reason: String) -> GateReport {
        .ended(key(number), .closed(reason))
    }

    @Test func `a gate without its bus logs the attempts of a child once`() {
        let log = TestedLog()
        let first = Self.ended(1, Self.unreachable)
        #expect(log.admitted(Self.opened(1), first) == [first])
        #expect(log.admitted(Self.opened(2)) == [])
        #expect(log.admitted(.served(Self.key(2))) == [Self.opened(2)])
        let lost = Self.ended(2, "the bus has closed the connection")
        #expect(log.admitted(lost) == [lost])
        #expect(log.admitted(Self.opened(3), Self.ended(3, Self.unreachable)) == [])
        // The bus accepts the connection, and closes it at once.
        #expect(log.admitted(Self.opened(4)) == [])
        #expect(log.admitted(Self.ended(4, "the bus has closed the connection")) == [])
        #expect(log.admitted(Self.opened(5), .served(Self.key(5))) == [Self.opened(5)])
        let later = Self.ended(5, Self.unreachable)
        #expect(log.admitted(later) == [later])
    }

    @Test func `each kind of violation of a child's links is logged`() {
        let log = TestedLog()
        let short = GateReport.ended(Self.key(1), .fault(.truncated(byteCount: 3)))
        let shorter = GateReport.ended(Self.key(2), .fault(.truncated(byteCount: 2)))
        let unknown = GateReport.ended(Self.key(3), .fault(.unknownControl(9)))
        #expect(log.admitted(short, shorter, unknown, short) == [short, unknown])
        _ = log.admitted(Self.opened(4), .served(Self.key(4)), Self.ended(4, "the site has left"))
        #expect(log.admitted(shorter) == [shorter])
    }

    @Test func `a link that another one replaces is logged with it`() {
        let log = TestedLog()
        _ = log.admitted(Self.opened(1), .served(Self.key(1)))
        let end = Self.ended(1, "the site has opened another link")
        #expect(log.admitted(end, Self.opened(2)) == [end])
        #expect(log.admitted(.served(Self.key(2))) == [Self.opened(2)])
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

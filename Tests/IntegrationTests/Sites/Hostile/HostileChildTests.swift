// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import Foundation
import Glibc
import Testing

extension Faults {
    /// The site bonn sends whatever it wants, while hq and its other site ulm live on.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct HostileChildTests {
        /// Runs a test, and then expects that events of ulm are still handled at hq.
        private func open(_ test: (SitePair, RawChild, SiteServer) throws -> Void) throws {
            try SitePair.openOnServer { pair, server in
                let shop = try pair.attachAbove(["--handle", "Order"])
                try test(pair, RawChild("bonn", on: server), server)
                #expect(try pair.ulm.trigger("Order").by == "/hq:/shop")
                #expect(!pair.ulmSite.diagnostics.text.contains("is lost"))
                withExtendedLifetime(shop) {}
            }
        }

        // MARK: - Bytes

        @Test func `subjects of another site are refused by the server`() throws {
            try open { _, bonn, _ in
                try bonn.publish(
                    bonn.request().encoded,
                    to: bonn.subjects.up("ulm", .open))
                try bonn.subscribe(to: bonn.subjects.downPattern(of: "ulm"))
                try bonn.wait(for: "two refusals") { bonn.refusals.count >= 2 }
                #expect(
                    bonn.refusals.allSatisfy { $0.contains("ulm") }, "\(bonn.refusals)")
            }
        }

        @Test func `bytes that are no link messages end the link, which says why`() throws {
            try open { pair, bonn, _ in
                let long = [UInt8](repeating: 0xFF, count: 100)
                var logged: Set<String> = []
                for (bytes, why) in [
                    ([1, 2, 3], "a link message of 3 bytes ends too early"),
                    (long, "exceeds the maximum"),
                    ([UInt8](repeating: 0, count: 16) + [9], "the control 9 is unknown"),
                    (
                        [1] + [UInt8](repeating: 0, count: 15) + [0xFF, 0xFF, 0xFF, 0x7F],
                        "exceeds the maximum"
                    ),
                ] {
                    try bonn.open()
                    try bonn.publishOnLink(bytes)
                    let end = try bonn.waitForEnd()
                    #expect(end.contains(why), "\(end)")
                    // Each kind of violation has one line, whatever its numbers are.
                    guard logged.insert(why).inserted else {
                        continue
                    }
                    let line = try pair.hqSite.diagnostics.line(
                        containing: "violated the link's format")
                    #expect(line?.contains("'bonn'") == true)
                }
                // What is no request is counted, and not answered.
                try bonn.publish(long, to: bonn.subjects.up(bonn.name, .open))
                try bonn.open()
                #expect(bonn.terms?.mount == "/shop/bonn")
            }
        }

        @Test func `frames that are no messages of a worker end the session, and so the link`()
            throws
        {
            try open { _, bonn, _ in
                let frames = [
                    [UInt8](repeating: 0xFF, count: 60), [16, 2, 3],
                    Header(.trigger, fieldsLength: 1_000).encoded(),
                    // These are a daemon's.
                    Header(.welcome).encoded(), Header(.visit, id: 1).encoded(),
                    Header(.outcome, sequence: 1).encoded(),
                ]
                for frame in frames {
                    try bonn.greet()
                    _ = try bonn.attachMount()
                    try bonn.send(frame)
                    let violation = try Violation(parsing: bonn.next(.violation))
                    #expect(
                        [.malformed, .unknownCommand].contains(violation.code), "\(violation)")
                    let end = try bonn.waitForEnd()
                    #expect(end.contains("the parent's bus has closed the connection"), "\(end)")
                }
                try bonn.open()
                try bonn.send(
                    Hello(session: .random(), program: "raw", processID: 1).encoded() + [0])
                let end = try bonn.waitForEnd()
                #expect(
                    end.contains("a greeting is malformed: 1 bytes follow the fields"), "\(end)")
            }
        }

        @Test func `a child of another version is refused, naming both`() throws {
            try open { _, bonn, _ in
                try bonn.open(version: "site/2")
                #expect(bonn.terms == nil)
                #expect(bonn.refusal?.code == .versionMismatch)
                #expect(
                    bonn.refusal?.message
                        == "the site requests 'site/2', and the gate implements 'site/1'")
            }
        }

        // MARK: - Identity

        @Test func `a child is itself alone, whatever key, event or origin it names`() throws {
            try open { pair, bonn, _ in
                let session = SessionID.random()
                let other = try RawPeer.greeted(pair.hq.endpoint, session: session)
                try bonn.greet(policyKey: "ulm")
                for path in ["/shop/ulm", "/office", "/"] {
                    let refused = try bonn.attach(NodeDeclaration(path: NodePath(path)))
                    guard case .failure(let refusal) = refused else {
                        Issue.record("'\(path)' is attached")
                        continue
                    }
                    #expect([.denied, .rootReserved].contains(refusal.code), "\(refusal)")
                }
                var mount = try bonn.attachMount()
                @FaultThread
                func raise(_ id: SessionID, from origin: String, _ sequence: UInt64) throws {
                    let fields = RaisedFields(
                        name: "Order", origin: try NodePath(origin),
                        raisedAs: RaisedAs(EventID(session: id, sequence: 1))
                    ).fields
                    let header = Header(
                        .trigger, flags: .addressedInFields, fieldsLength: UInt32(fields.count),
                        node: mount, sequence: sequence, time: 10_000,
                        code: LaneCode(.event, causes: 0).rawValue)
                    try bonn.send(header.encoded() + fields)
                }
                for (id, origin) in [(session, "/shop/bonn/till"), (.random(), "/shop/ulm/till")] {
                    try raise(id, from: origin, 1)
                    let violation = try Violation(parsing: bonn.next(.violation))
                    #expect(violation.code == .notYours, "\(violation)")
                    _ = try bonn.waitForEnd()
                    try bonn.greet()
                    mount = try bonn.attachMount()
                }
                try raise(.random(), from: "/shop/bonn/till", 1)
                let outcome = try Header(parsing: bonn.next(.outcome))
                #expect(outcome.code == OutcomeCode.handled.rawValue)
                withExtendedLifetime(other) {}
            }
        }

        // MARK: - Floods

        @Test func `a flood of requests for links is counted and costs no memory`() throws {
            try open { pair, bonn, _ in
                let before = try pair.hqSite.residentMegabytes
                for _ in 1...20_000 {
                    try bonn.publish(bonn.request().encoded, to: bonn.subjects.up(bonn.name, .open))
                }
                try bonn.synchronize()
                try bonn.open()
                #expect(try pair.hqSite.residentMegabytes < before + 32)
            }
        }

        @Test func `more names than a mount may have are refused`() throws {
            try open { _, bonn, _ in
                try bonn.greet()
                var mount = NodeDeclaration(path: "/shop/bonn")
                mount.isMount = true
                mount.standIns = (0..<20_000).map { StandIn(EventName(unchecked: "Name\($0)")) }
                guard case .failure(let refusal) = try bonn.attach(mount) else {
                    Issue.record("20,000 stand-ins are attached")
                    return
                }
                #expect(refusal.code == .limitReached, "\(refusal)")
            }
        }

        @Test func `a flood of events of as many names costs a bounded amount of memory`() throws {
            try open { pair, bonn, _ in
                let before = try pair.hq.daemon.residentMegabytes
                try bonn.greet()
                let mount = try bonn.attachMount()
                for sequence in 1...20_000 as ClosedRange<UInt64> where bonn.end == nil {
                    let fields = RaisedFields(
                        name: EventName(unchecked: "Name\(sequence)"),
                        raisedAs: RaisedAs(EventID(session: .random(), sequence: sequence))
                    ).fields
                    let header = Header(
                        .trigger, flags: .addressedInFields, fieldsLength: UInt32(fields.count),
                        node: mount, sequence: sequence, time: 60_000,
                        code: LaneCode(.event, causes: 0).rawValue)
                    try bonn.send(header.encoded() + fields)
                }
                #expect(try pair.hq.daemon.residentMegabytes < before + 64)
            }
        }
    }
}

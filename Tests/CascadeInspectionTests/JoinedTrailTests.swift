// SPDX-License-Identifier: Apache-2.0

import CascadeInspection
import CascadeJSON
import CascadeWire
import Testing

/// The sites hq, ulm below it and, at ulm, cell; and bonn, which no event of these tests reaches.
@Suite struct JoinedTrailTests {
    private static func trail(
        of origin: NodePath, by: NodePath? = nil, visits: [NodePath]
    ) throws -> OutcomeDocument {
        let entries = visits.map { path in
            JSONValue.members([
                "path": .text(path), "responder": .integer(0), "kind": "handle", "name": "Order",
                "verdict": "passed", "microseconds": .integer(1),
            ])
        }
        return try OutcomeDocument(
            json: .members([
                "schema": .string(OutcomeDocument.schemaName),
                "id": .string(String(repeating: "0", count: 32) + "-1"),
                "origin": .text(origin), "by": by.map { .text($0) }, "trail": .array(entries),
            ]))
    }

    private static let ulm = SiteReport(
        sites: SitesDocument(
            site: "ulm", path: ["hq", "ulm"],
            sites: [
                entry("ulm", below: "hq", place: "/", mount: "/shop/ulm"),
                entry("hq", below: nil, place: "/hq:", mount: nil),
                entry("cell", below: "ulm", place: "/cell", mount: "/cell"),
            ]))

    private static let hq = SiteReport(
        sites: SitesDocument(
            site: "hq", path: ["hq"],
            sites: [
                entry("hq", below: nil, place: "/", mount: nil),
                entry("ulm", below: "hq", place: "/shop/ulm", mount: "/shop/ulm"),
                entry("bonn", below: "hq", place: "/shop/bonn", mount: "/shop/bonn"),
            ]))

    private static func entry(
        _ name: String, below parent: String?, place: NodePath, mount: NodePath?
    ) -> SiteEntry {
        SiteEntry(name: name, parent: parent, place: place, mount: mount, state: "up")
    }

    /// Asks the sites, and returns the places in the order in which they are asked.
    private func ask(
        _ trails: [NodePath: OutcomeDocument], _ reports: [NodePath: SiteReport],
        _ joined: inout JoinedTrail
    ) -> [NodePath] {
        var asked: [NodePath] = []
        while let place = joined.next() {
            asked.append(place)
            joined.record(trails[place], reports[place] ?? SiteReport(), of: place)
        }
        return asked
    }

    @Test func `an event that stays on its bus costs one question`() throws {
        var joined = JoinedTrail()
        let trail = try Self.trail(of: "/line", by: "/line", visits: ["/line"])
        #expect(ask(["/": trail], ["/": Self.ulm, "/hq:": Self.hq], &joined) == ["/"])
        #expect(joined.document == trail)
    }

    @Test func `an event that leaves by the root is asked for above, in the names of this bus`()
        throws
    {
        var joined = JoinedTrail()
        let trails: [NodePath: OutcomeDocument] = [
            "/": try Self.trail(of: "/line", by: "/hq:/shop", visits: ["/line", "/"]),
            "/hq:": try Self.trail(of: "/shop/ulm/line", by: "/shop", visits: ["/shop"]),
        ]
        #expect(ask(trails, ["/": Self.ulm, "/hq:": Self.hq], &joined) == ["/", "/hq:"])
        #expect(joined.document?.trail?.map(\.path) == ["/line", "/", "/hq:/shop"])
        #expect(joined.document?.origin == "/line")
        #expect(joined.document?.by == "/hq:/shop")
    }

    @Test func `an event from below begins at the lowest site`() throws {
        var joined = JoinedTrail()
        let trails: [NodePath: OutcomeDocument] = [
            "/": try Self.trail(of: "/cell/robot", by: "/line", visits: ["/line"]),
            "/cell": try Self.trail(of: "/robot", by: nil, visits: ["/robot", "/"]),
        ]
        #expect(ask(trails, ["/": Self.ulm], &joined) == ["/", "/cell"])
        #expect(joined.document?.trail?.map(\.path) == ["/cell/robot", "/cell", "/line"])
    }

    @Test func `a site that knows nothing of the event leaves the rest as it is`() throws {
        var joined = JoinedTrail()
        let trail = try Self.trail(of: "/line", by: nil, visits: ["/line", "/"])
        #expect(ask(["/": trail], ["/": Self.ulm], &joined) == ["/", "/hq:"])
        #expect(joined.document?.trail?.map(\.path) == ["/line", "/"])
    }

    @Test(arguments: [31, 32])
    func `at most 32 sites are asked about one event`(_ childCount: Int) throws {
        let children = (0..<childCount).map { number in
            Self.entry("s\(number)", below: "hq", place: "/", mount: NodePath("/s", number))
        }
        var report = Self.hq
        report.sites?.sites = [Self.entry("hq", below: nil, place: "/", mount: nil)] + children
        var trail = try Self.trail(of: "/line", visits: [])
        trail.paths = children.compactMap(\.mount)
        var joined = JoinedTrail()
        #expect(ask(["/": trail], ["/": report], &joined).count == 32)
    }
}

extension NodePath {
    fileprivate init(_ name: String, _ number: Int) {
        self.init(stringLiteral: "\(name)\(number)")
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJSON
import CascadeSession
import CascadeSite
import CascadeWire
import Testing

// Looking at other sites: three sites, one below the other, and one beside the lowest.
@Suite struct SiteInspectionTests {
    private static func world(
        configure: (inout BridgeConfiguration) -> Void = { _ in }
    ) -> OracleWorld {
        let world = OracleWorld(
            OracleTree(
                [
                    OracleTree.Node(path: "/desk"), OracleTree.Node(path: "/shop/ulm/till"),
                    OracleTree.Node(path: "/shop/ulm/cell/lamp"),
                    OracleTree.Node(path: "/shop/bonn/bar"),
                ],
                [
                    OracleTree.Site(name: "ulm", mount: "/shop/ulm", parent: 0),
                    OracleTree.Site(name: "bonn", mount: "/shop/bonn", parent: 0),
                    OracleTree.Site(name: "cell", mount: "/shop/ulm/cell", parent: 1),
                ]), isCut: true, configure: configure)
        world.settle()
        return world
    }

    /// Raises the request at the bus of a worker, and returns the document of the answer or the error.
    private static func ask(
        _ world: OracleWorld, _ subject: Query.Subject, of site: String, from origin: NodePath,
        at worker: Int
    ) -> (document: JSONValue?, failure: Failure?) {
        let raising = Raising(
            name: .inspection, payload: Query(request: 7, subject).encoded(),
            attributes: [Attribute("site", site)])
        let settled = world.raise(
            raising, RaiseOptions(.upward(.request), from: .outsider(origin)), at: worker)
        let answer = settled?.reply.flatMap { try? DocumentAnswer(parsing: $0.payload) }
        #expect(answer?.request ?? 7 == 7)
        #expect(world.faults == [])
        return (
            answer.flatMap { try? JSONValue(parsing: $0.document) }, settled?.ended.failure
        )
    }

    // The numbers of the workers at hq and ulm. That of cell is 2.
    private static let desk = 0
    private static let till = 1

    /// The keys of the values that a node reads, in a document about its environment.
    private static func siteName(_ document: JSONValue?) -> String? {
        document?["values"]?.elements.first { $0["key"]?.string == "site.name" }?["value"]?.string
    }

    @Test(
        arguments: [
            ("/shop/ulm", "/shop/ulm", "ulm", 0), ("/shop/ulm/cell", "/shop/ulm", "cell", 0),
            ("/hq:", "/", "hq", 1), ("/hq:", "/", "hq", 2), ("/ulm:", "/", "ulm", 2),
            ("/hq:/shop/bonn", "/", "bonn", 1), ("/hq:/shop/bonn", "/", "bonn", 2),
        ] as [(String, NodePath, String, Int)])
    func `a query is answered by the asked site`(
        place: String, origin: NodePath, name: String, worker: Int
    ) {
        let world = Self.world()
        let path: NodePath =
            switch name {
            case "ulm": "/till"
            case "cell": "/lamp"
            case "bonn": "/bar"
            default: "/desk"
            }
        let answer = Self.ask(
            world, .environment(path: path, key: nil), of: place, from: origin, at: worker)
        #expect(Self.siteName(answer.document) == name)
        #expect(answer.failure == nil)
        let sites = Self.ask(world, .sites, of: place, from: origin, at: worker)
        #expect(sites.document?["site"]?.string == name)
    }

    @Test func `a site lists itself, its parent and its children`() {
        let world = Self.world()
        world.childrenChanged(
            1,
            [
                ChildReport(
                    name: "cell", mount: "/cell", state: .up, since: .seconds(1),
                    roundTrip: .milliseconds(2), release: "cascade-site test", host: "cell-1")
            ])
        let answer = Self.ask(world, .sites, of: "/", from: "/", at: Self.till)
        #expect(answer.document?["path"]?.elements.compactMap(\.string) == ["hq", "ulm"])
        let sites = answer.document?["sites"]?.elements ?? []
        #expect(sites.compactMap { $0["name"]?.string } == ["ulm", "hq", "cell"])
        #expect(sites.compactMap { $0["place"]?.string } == ["/", "/hq:", "/cell"])
        #expect(sites.compactMap { $0["state"]?.string } == ["up", "up", "up"])
        #expect(sites.first?["mount"]?.string == "/shop/ulm")
        #expect(sites.last?["roundTripMicroseconds"]?.integer(Int.self) == 2_000)
    }

    @Test func `a query of this site's own bus is for the bus itself`() {
        let answer = Self.ask(Self.world(), .bus, of: "/", from: "/", at: Self.till)
        #expect(answer.failure?.name == Failure(.denied).name)
    }

    @Test(
        arguments: [
            ("/nowhere", "/", 0), ("/shop/ulm/till", "/shop/ulm", 0), ("/root:", "/", 2),
            ("/hq:/shop", "/", 1),
        ] as [(String, NodePath, Int)])
    func `a place that is no site is an error`(place: String, origin: NodePath, worker: Int) {
        let answer = Self.ask(Self.world(), .sites, of: place, from: origin, at: worker)
        #expect(answer.failure?.name == Failure(.noSuchNode).name)
        #expect(answer.failure?.message?.contains("no site stands") == true)
    }

    @Test func `a refused query, and one that repeats, are errors`() {
        let world = Self.world()
        let missing = Self.ask(
            world, .environment(path: "/x", key: nil), of: "/shop/ulm", from: "/shop/ulm",
            at: Self.desk)
        #expect(missing.failure?.name == Failure(.noSuchNode).name)
        // The asked bus names its node '/x'.
        #expect(missing.failure?.message?.contains("'/shop/ulm/x'") == true)
        let above = Self.ask(
            world, .environment(path: "/shop/x", key: nil), of: "/hq:", from: "/", at: Self.till)
        #expect(above.failure?.message?.contains("'/hq:/shop/x'") == true)
        let raising = Raising(
            name: .inspection,
            payload: Query(request: 7, .bus, isRepeating: true).encoded(),
            attributes: [Attribute("site", "/shop/ulm")])
        let settled = world.raise(
            raising, RaiseOptions(.upward(.request), from: .outsider("/shop/ulm")), at: Self.desk)
        #expect(settled?.ended.failure?.message == "a query of another site cannot repeat")
    }

    @Test func `nobody looks at a site that lets nobody look`() {
        let world = Self.world { $0.inspect = .none }
        let answer = Self.ask(
            world, .bus, of: "/shop/ulm", from: "/shop/ulm", at: Self.desk)
        #expect(answer.failure?.name == Failure(.denied).name)
    }

    @Test func `a site that is cut cannot be asked, and says why`() {
        let world = Self.world()
        world.cutLink(1)
        world.pass(.seconds(6))
        let answer = Self.ask(world, .sites, of: "/hq:", from: "/", at: Self.till)
        #expect(answer.failure?.name == Failure(.nodeLost).name)
        #expect(answer.failure?.message == "'hq' cannot be reached from 'ulm': cut")
        let sites = Self.ask(world, .sites, of: "/", from: "/", at: Self.till)
        let hq = sites.document?["sites"]?.elements.last
        #expect(hq?["state"]?.string == "cut")
        #expect(sites.document?["sites"]?.elements.first?["lastError"]?.string == "cut")
    }
}

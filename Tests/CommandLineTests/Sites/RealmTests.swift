// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeWire
import Synchronization
import Testing
import cascadectl

@Suite struct RealmTests {
    @Test func `The realm has the sites above and those below all of them, the root site first`()
        async
    {
        let realm = await SiteFixture.realm()
        #expect(
            realm.sites.map(\.place) == [
                "/root:", "/hq:", "/hq:/shop/berlin", "/hq:/shop/berlin/line/cell", "/", "/cell",
                "/hq:/shop/bonn",
            ])
        #expect(
            realm.sites.map(\.entry.name) == [
                "root", "hq", "berlin", "cell", "ulm", "cell", "bonn",
            ])
        #expect(realm.sites.map(\.entry.place) == realm.sites.map { Optional($0.place) })
        #expect(
            realm.sites.map(\.entry.parent)
                == [nil, "root", "hq", "berlin", "hq", "ulm", "hq"])
    }

    @Test func `A silent site is unresponsive, and says so; an absent one is not asked`() async {
        let realm = await SiteFixture.realm()
        let silent = realm["/hq:/shop/berlin/line/cell"]
        #expect(silent?.entry.state == "unresponsive")
        #expect(silent?.entry.lastError?.hasSuffix("did not answer within 5s") == true)
        #expect(realm["/hq:/shop/bonn"]?.entry.state == "absent")
        #expect(realm["/hq:/shop/bonn"]?.failure == "the site 'bonn' is absent")
    }

    @Test func `Two sites of one name are both listed, and a command names their places`() async {
        let realm = await SiteFixture.realm()
        #expect(realm.twins.map(\.name) == ["cell"])
        #expect(realm.twins.first?.places == ["/hq:/shop/berlin/line/cell", "/cell"])
        #expect(realm.twinFindings.map(\.kind) == ["siteTwin"])
        #expect(
            realm.problem(withName: "cell")
                == "2 sites are named 'cell': '/hq:/shop/berlin/line/cell' and '/cell'; name one by its "
                + "place, as in --site /hq:/shop/berlin/line/cell")
        #expect(
            realm.problem(withName: "mars")
                == "there is no site 'mars'; the sites that can be seen are 'berlin', 'bonn', 'cell', "
                + "'hq', 'root', 'ulm'")
        #expect(realm.problem(withName: "berlin") == nil)
    }

    @Test func `Nothing above is asked while the link is cut`() async {
        var itself = SiteFixture.itself("ulm", below: "hq", .cut)
        itself.ageSeconds = 42
        itself.lastError = "the other side was silent for 5.0 seconds"
        let told = SitesDocument(
            site: "ulm", path: ["ulm"], sites: [itself, SiteFixture.above("hq")])
        let realm = await SiteFixture.realm(changing: [
            "/": SiteReport(sites: told, nodes: [SiteFixture.node("/")])
        ])
        #expect(realm.sites.map(\.place) == ["/hq:", "/"])
        #expect(realm["/hq:"]?.entry.state == "unresponsive")
        #expect(realm["/hq:"]?.failure == "the link of 'ulm' to it is cut")
        #expect(
            told.findings == [
                CheckFinding(
                    kind: "siteCut", path: "/", name: "hq",
                    message:
                        "the link to the site 'hq' above has been cut for 42s: the other side was "
                        + "silent for 5.0 seconds")
            ])
    }

    @Test func `A site above whose own link is cut is listed as cut`() async {
        var parent = SiteFixture.above("hq")
        parent.parent = "root"
        var itself = SiteFixture.itself("hq", below: "root", .cut)
        itself.ageSeconds = 42
        let realm = await SiteFixture.realm(changing: [
            "/": SiteReport(
                sites: SitesDocument(
                    site: "ulm", path: ["root", "hq", "ulm"],
                    sites: [SiteFixture.itself("ulm", below: "hq", at: "/shop/ulm"), parent]),
                nodes: [SiteFixture.node("/")]),
            "/hq:": SiteReport(
                sites: SitesDocument(
                    site: "hq", path: ["root", "hq"], sites: [itself, SiteFixture.above("root")]),
                nodes: [SiteFixture.node("/")]),
        ])
        #expect(realm.sites.map(\.place) == ["/root:", "/hq:", "/"])
        #expect(realm.sites.map(\.entry.state) == ["unresponsive", "cut", "up"])
        #expect(realm["/hq:"]?.entry.ageSeconds == 42)
    }

    @Test func `A bus without a bridge has the sites at its mounts`() async {
        let realm = await SiteFixture.realm(changing: [
            "/": SiteReport(
                nodes: [
                    SiteFixture.node("/"), SiteFixture.node("/cell", mount: "cell"),
                    SiteFixture.node("/gone", mount: "gone", .vacant),
                ], failure: "this bus is no site")
        ])
        #expect(realm.own == nil && realm.ownFailure == "this bus is no site")
        #expect(realm["/cell"]?.entry.state == "up")
        #expect(realm["/gone"]?.entry.state == "cut")
        #expect(realm["/gone"]?.failure == "the site 'gone' has been cut for 1m")
        #expect(RealmDocument(realm) == nil)
    }

    @Test func `A site that does not list its nodes has no fault for that`() async throws {
        var report = try #require(SiteFixture.reports["/hq:"])
        report.nodes = nil
        report.failure = "no rule of the policy allows it"
        report.refusesNodes = true
        let realm = await SiteFixture.realm(changing: ["/hq:": report])
        #expect(realm["/hq:"]?.entry.state == "up" && realm["/hq:"]?.entry.lastError == nil)
        #expect(realm["/hq:"]?.failure == "no rule of the policy allows it")
    }

    @Test func `At most eight sites are asked at the same time`() async {
        let mounts = (0..<40).map { SiteFixture.node(Self.path($0), mount: "site\($0)") }
        let asked = Mutex((now: 0, most: 0))
        let realm = await Realm { place in
            asked.withLock { asked in
                asked.now += 1
                asked.most = max(asked.most, asked.now)
            }
            await Task.yield()
            asked.withLock { $0.now -= 1 }
            return SiteReport(
                nodes: place.isRoot ? [SiteFixture.node("/")] + mounts : [SiteFixture.node("/")])
        }
        #expect(realm.sites.count == 41)
        #expect(asked.withLock { $0.most } <= 8)
    }

    @Test func `A site below that another one names as a foreign place has its path from here`()
        async
    {
        let realm = await SiteFixture.realm()
        #expect(realm.name("/berlin:/line", ofSiteAt: "/hq:") == "/hq:/shop/berlin/line")
        #expect(realm.name("/hq:/floor", ofSiteAt: "/cell") == "/hq:/floor")
        #expect(realm.name("/ulm:/kitchen", ofSiteAt: "/cell") == "/kitchen")
        // Two sites have this name.
        #expect(realm.name("/cell:/robot", ofSiteAt: "/hq:") == "/cell:/robot")
    }

    private static func path(_ number: Int) -> NodePath {
        NodePath(joining: ["site\(number)"])
    }

    @Test func `The list of sites has a line for each`() async throws {
        let document = try #require(RealmDocument(await SiteFixture.realm()))
        let lines = document.text.split(separator: "\n")
        #expect(lines.count == 8)
        #expect(lines[0].hasPrefix("SITE"))
        #expect(lines[5].hasPrefix("ulm "))
        #expect(lines[7].contains("absent"))
        #expect(document.content.path == ["root", "hq", "ulm"])
    }
}

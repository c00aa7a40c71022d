// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeWire
import cascadectl

/// Three sites, as they answer the bus of ulm: root, below it hq and, at hq, ulm and berlin. Below ulm is
/// cell, and below berlin is a second site with the name cell.
enum SiteFixture {
    static func node(
        _ path: NodePath, mount site: String? = nil, _ state: NodeState = .live,
        _ responders: KeyValuePairs<ResponderKind, EventName> = [:]
    ) -> NodeSnapshot {
        var node = NodeSnapshot(
            path: path, state: state, isActive: state == .live, ageMicroseconds: 60_000_000,
            childCount: 0,
            responders: responders.map { ResponderDeclaration($0.key, $0.value) })
        node.isMount = site != nil
        return node
    }

    static func itself(
        _ name: String, below parent: String? = nil, at mount: NodePath? = nil,
        _ state: SiteEntry.State = .up
    ) -> SiteEntry {
        var entry = SiteEntry(
            name: name, parent: parent, place: .root, mount: mount, state: DocumentWord(state))
        entry.release = "cascade-site 1.0.0"
        entry.host = "\(name).example"
        return entry
    }

    static func above(_ name: String) -> SiteEntry {
        SiteEntry(name: name, place: try? SitesAbove.place(of: name), state: "up")
    }

    static func below(
        _ name: String, of parent: String, at mount: NodePath, _ state: SiteEntry.State = .up
    ) -> SiteEntry {
        SiteEntry(
            name: name, parent: parent, place: mount, mount: mount, state: DocumentWord(state))
    }

    /// The answers by the place of the asked site.
    static let reports: [NodePath: SiteReport] = [
        "/": SiteReport(
            sites: SitesDocument(
                site: "ulm", path: ["root", "hq", "ulm"],
                sites: [
                    itself("ulm", below: "hq", at: "/shop/ulm"), above("hq"),
                    below("cell", of: "ulm", at: "/cell"),
                ]),
            nodes: [node("/"), node("/cell", mount: "cell"), node("/kitchen")]),
        "/hq:": SiteReport(
            sites: SitesDocument(
                site: "hq", path: ["root", "hq"],
                sites: [
                    itself("hq", below: "root", at: "/hq"), above("root"),
                    below("ulm", of: "hq", at: "/shop/ulm"),
                    below("berlin", of: "hq", at: "/shop/berlin"),
                    below("bonn", of: "hq", at: "/shop/bonn", .absent),
                ]),
            nodes: [
                node("/"), node("/shop"), node("/shop/berlin", mount: "berlin"),
                node("/shop/ulm", mount: "ulm"), node("/floor"),
            ]),
        "/root:": SiteReport(
            sites: SitesDocument(
                site: "root", path: ["root"],
                sites: [itself("root"), below("hq", of: "root", at: "/hq")]),
            nodes: [node("/"), node("/hq", mount: "hq"), node("/board")]),
        "/cell": SiteReport(
            sites: SitesDocument(
                site: "cell", path: ["root", "hq", "ulm", "cell"],
                sites: [itself("cell", below: "ulm", at: "/cell"), above("ulm")]),
            nodes: [node("/"), node("/robot")]),
        "/hq:/shop/berlin": SiteReport(
            sites: SitesDocument(
                site: "berlin", path: ["root", "hq", "berlin"],
                sites: [
                    itself("berlin", below: "hq", at: "/shop/berlin"), above("hq"),
                    below("cell", of: "berlin", at: "/line/cell"),
                ]),
            nodes: [node("/"), node("/line"), node("/line/cell", mount: "cell")]),
        "/hq:/shop/berlin/line/cell": SiteReport(
            failure: "the site at '/hq:/shop/berlin/line/cell' did not answer within 5s",
            isSilent: true),
    ]

    static func realm(
        changing changed: [NodePath: SiteReport] = [:]
    ) async -> Realm {
        let reports = reports.merging(changed) { $1 }
        return await Realm { place in
            reports[place] ?? SiteReport(failure: "nobody is asked at '\(place)'")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Faults {
    /// A parent with many children, each with a bus and a `cascade-site` of its own.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct SiteManyChildrenTests {
        private static let count = 20
        private static let names = (1...count).map { "c\($0)" }

        /// Runs a test with a parent, whose site it may end, and its children, which are linked.
        private func open(
            _ test: (FaultBus, _ folder: String, inout SpawnedProgram, [SiteChild]) throws -> Void
        ) throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let policy = Self.names.map {
                "allow attach, subscribe, trigger, inspect, uplink /shop/\($0) to key \($0)\n"
            }
            try Data(policy.joined().utf8).write(to: URL(filePath: directory + "/hq.policy"))
            let server = try SiteServer(in: directory, SiteServer.Settings(hasOneKey: true))
            try FaultBus.open(["--policy", directory + "/hq.policy"]) { hq in
                let mounts = Self.names.map { "\($0): /shop/\($0)" }.joined(separator: ", ")
                try SitePair.write(
                    """
                    name: hq
                    bus: "\(hq.endpoint)"
                    server: {address: "\(server.address)", key: "\(directory)/hq.key", trust: none}
                    children: {\(mounts)}

                    """, to: hq.directory)
                var site = try SitePair.start(hq.directory)
                let children = try Self.names.map {
                    try SiteChild($0, over: server, key: directory + "/bonn.key")
                }
                for child in children {
                    try child.waitUntilLinked()
                }
                try test(hq, directory, &site, children)
                for child in children {
                    try child.stop()
                }
                site.signal(SIGTERM)
                #expect(try site.end().exitCode == 0)
            }
        }

        @Test func `a gate that is killed and back costs no event of any child`() throws {
            try open { hq, _, site, children in
                let shop = try hq.attach(
                    "/shop", ["--handle", "Order", "--concurrency", "64", "--stdio"])
                let tills = try children.map {
                    try $0.bus.attach("/till", ["--subscribe", "Menu", "--stdio"])
                }
                for child in children {
                    try Patience.until("'\(child.name)' knows the responder above") {
                        try child.bus.run(["route", "Order"]).exitCode == 0
                    }
                }
                let places = Set(Self.names.map { "/shop/\($0)" })
                try Patience.until("each site is a recipient") {
                    let shown = try hq.run(["subscribers", "Menu", "--at", "/shop", "--json"])
                    return try places.isSubset(of: shown.document()["all"].strings ?? [])
                }
                for till in tills {
                    till.write(line: #"{"trigger":"Order","deadline":"1m","ref":1}"#)
                }
                let visits = try tills.map { _ in try shop.visit() }
                shop.write(
                    line: #"{"publish":"Menu","to":"all","deadline":"1m","ref":"menu"}"#)
                let deliveries = try tills.map { try $0.output.line(ofLane: "publication") }

                site.kill()
                #expect(try site.end().exitCode == nil)
                for visit in visits {
                    shop.handle(visit)
                }
                site = try SitePair.start(hq.directory)
                for till in tills {
                    let outcome = try till.output.line(ofLane: "outcome")
                    #expect(outcome["outcome"].string == "handled", "\(outcome)")
                    #expect(outcome["by"].string == "/hq:/shop")
                }
                // What the children had begun to publish is lost.
                for (till, delivery) in zip(tills, deliveries) {
                    till.handle(delivery)
                }
                let menu = try shop.output.line(ofLane: "outcome")
                #expect(menu["outcome"].string == "failed", "\(menu)")
                #expect(menu["error"]["name"].string == "nodeLost", "\(menu)")
                for child in children {
                    try child.waitUntilLinked()
                    #expect(!child.site.diagnostics.text.contains("cut off"))
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Sites that may not stand where they want to, or not any more.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct SiteRefusalTests {
        private func refusal(of site: SpawnedProgram) throws -> String {
            try #require(
                try site.diagnostics.line(containing: "cannot stand below"),
                "\(site.diagnostics.text)")
        }

        // Only root may give a process another name of the machine.
        @Test(.enabled(if: geteuid() == 0))
        func `a second machine of a name is refused, and takes over after the first`() throws {
            try SitePair.openOnServer { pair, _ in
                // Another machine has another name; its bus is the same, so only its gate decides.
                let copy = pair.ulm.directory + "/copy"
                try FileManager.default.createDirectory(
                    atPath: copy, withIntermediateDirectories: true)
                let text = try String(
                    contentsOfFile: pair.ulm.directory + "/site.yaml", encoding: .utf8)
                try FaultBus.open { other in
                    let moved = text.replacingOccurrences(
                        of: pair.ulm.endpoint, with: other.endpoint
                    ).replacingOccurrences(
                        of: pair.ulm.directory + "/metrics.sock", with: copy + "/metrics.sock")
                    try SitePair.write(moved, to: copy)
                    let program = try SpawnedProgram.path(of: "cascade-site")
                    @FaultThread func startOther(_ command: String) throws -> SpawnedProgram {
                        let line = "exec \(program) \(command) --config \(copy)/site.yaml"
                        return try SpawnedProgram(
                            "/usr/bin/unshare",
                            ["--uts", "/bin/sh", "-c", "hostname other && \(line)"], bus: "")
                    }
                    let second = try startOther("run")
                    let line = try refusal(of: second)
                    #expect(line.contains("nameTaken") && line.contains("has held a link of 'ulm'"))
                    // The check tells a machine that has the link from another one.
                    let own = try SpawnedProgram(
                        program, ["check", "--config", pair.ulm.directory + "/site.yaml"], bus: ""
                    ).end()
                    #expect(own.exitCode == 0, "\(own.output.text)")
                    #expect(own.output.text.contains("a link that is up"))
                    let twin = try startOther("check").end()
                    #expect(twin.exitCode == 3, "\(twin.output.text)")
                    #expect(twin.output.text.contains("gate        failed"))
                    #expect(twin.output.text.contains("that is another machine"))
                    try pair.killUlmSite()
                    _ = try pair.hqSite.diagnostics.line(
                        containing: "the link with 'ulm' has ended")
                    second.signal(SIGHUP)
                    #expect(try second.diagnostics.line(containing: "linked to 'hq'") != nil)
                    second.signal(SIGTERM)
                    #expect(try second.end().exitCode == 0)
                }
                try pair.startUlmSite()
                try pair.waitUntilLinked()
            }
        }

        @Test func `a check says whether the daemon of this site answers`() throws {
            try SitePair.openOnServer(hasLocalEvents: false) { pair, _ in
                @FaultThread func check() throws -> SpawnedProgram.Ending {
                    try SpawnedProgram(
                        "cascade-site", ["check", "--config", pair.ulm.directory + "/site.yaml"],
                        bus: ""
                    ).end()
                }
                let alive = try check()
                #expect(alive.exitCode == 0)
                #expect(alive.output.text.contains("bus         ok      the daemon answers"))
                try pair.ulm.killDaemon()
                let dead = try check()
                #expect(dead.exitCode == 3)
                #expect(
                    dead.output.text.contains(
                        "bus         failed  no bus serves \(pair.ulm.endpoint)"),
                    "\(dead.output.text)")
                // What does not need the daemon is checked all the same.
                #expect(dead.output.text.contains("gate        ok"))
                try pair.ulm.startDaemon()
            }
        }

        @Test func `a child that is removed is refused, and its link ends at once`() throws {
            try SitePair.openOnServer { pair, _ in
                try pair.setChildren("{bonn: /shop/bonn}")
                let line = try refusal(of: pair.ulmSite)
                #expect(line.contains("unknownSite"))
                #expect(try pair.hq.tree()["/shop/ulm"]?.state != "live")
                try pair.setChildren("{bonn: /shop/bonn, ulm: /shop/ulm}")
                pair.ulmSite.signal(SIGHUP)
                try pair.waitUntilLinked()
            }
        }

        @Test func `a site that gives its server up has no configured child any more`() throws {
            try SitePair.openOnServer { pair, _ in
                @FaultThread func names() throws -> [String?] {
                    let sites = try pair.hq.run(["sites", "--json"]).document()["sites"]
                    return sites.elements.map { $0["name"].string }
                }
                #expect(try names().contains("bonn"))
                let text = """
                    name: hq
                    bus: "\(pair.hq.endpoint)"
                    metricsSocket: "\(pair.hq.directory)/metrics.sock"

                    """
                try SitePair.write(text, to: pair.hq.directory)
                pair.hqSite.signal(SIGHUP)
                try #require(
                    try pair.hqSite.diagnostics.line(containing: "site.yaml again") != nil)
                // The tree still has ulm's vacant mount.
                #expect(try !names().contains("bonn"))
            }
        }

        @Test func `a withdrawn key is refused by the server`() throws {
            try SitePair.openOnServer { pair, server in
                try server.admit(only: ["bonn"])
                let line = try refusal(of: pair.ulmSite)
                #expect(line.contains("cannot be used with this site's key"))
                try server.admit(only: ["bonn", "ulm"])
                pair.ulmSite.signal(SIGHUP)
                try pair.waitUntilLinked()
            }
        }

        @Test func `a site in another realm than its parent is told so`() throws {
            try SitePair.openOnServer { pair, _ in
                let file = URL(filePath: pair.ulm.directory + "/site.yaml")
                let text = try String(contentsOf: file, encoding: .utf8)
                try Data((text + "realm: other\n").utf8).write(to: file)
                pair.ulmSite.signal(SIGHUP)
                let line = try refusal(of: pair.ulmSite)
                #expect(line.contains("cascade.other.down.ulm.hq"))
                #expect(line.contains("the realm or a name in site.yaml may be wrong"))
            }
        }

        @Test func `a mount that another process holds is refused, naming it`() throws {
            try SitePair.openOnServer { pair, _ in
                pair.ulmSite.signal(SIGTERM)
                #expect(try pair.ulmSite.end().exitCode == 0)
                let squatter = try pair.hq.attach("/shop/ulm", ["--handle", "X"])
                try pair.startUlmSite()
                let line = try refusal(of: pair.ulmSite)
                #expect(line.contains("/shop/ulm"))
                squatter.signal(SIGTERM)
                #expect(try squatter.end().exitCode == 0)
                pair.ulmSite.signal(SIGHUP)
                try pair.waitUntilLinked()
            }
        }

        @Test func `a mount that an administrator detaches stays away`() throws {
            try SitePair.openOnServer { pair, _ in
                #expect(try pair.hq.run(["detach", "/shop/ulm"]).exitCode == 0)
                _ = try refusal(of: pair.ulmSite)
                #expect(try pair.hq.tree()["/shop/ulm"]?.state != "live")
            }
        }

        @Test func `sites that would stand below each other refuse, and name the path`() throws {
            try FaultBus.open { first in
                try FaultBus.open { second in
                    let buses = [("a", first, "b", second), ("b", second, "a", first)]
                    let sites = try buses.map { name, bus, parent, above in
                        try SitePair.write(
                            """
                            name: \(name)
                            bus: "\(bus.endpoint)"
                            parent: {name: \(parent), bus: "\(above.endpoint)", mount: /m/\(name)}

                            """, to: bus.directory)
                        return try SitePair.start(bus.directory)
                    }
                    // Whichever of them is linked first, the other one finds itself above.
                    let refusals = try sites.map { site in
                        try #require(
                            try site.diagnostics.line(containing: "would stand below itself"),
                            "\(site.diagnostics.text)")
                    }
                    #expect(refusals.allSatisfy { $0.contains("a, b") || $0.contains("b, a") })
                    #expect(try first.trigger("Order").outcome == "unhandled")
                    for site in sites {
                        site.signal(SIGTERM)
                        #expect(try site.end().exitCode == 0)
                    }
                }
            }
        }
    }
}

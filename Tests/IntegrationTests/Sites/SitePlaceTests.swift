// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Places at which a site may not stand.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt)) struct SitePlaceTests {
        @Test func `a mount with nodes below it is refused, naming one, until they are gone`()
            throws
        {
            try SitePair.openOnBus { pair in
                pair.ulmSite.signal(SIGTERM)
                #expect(try pair.ulmSite.end().exitCode == 0)
                let till = try pair.hq.attach("/shop/ulm/till", ["--handle", "X"])
                try pair.startUlmSite()
                let line = try pair.ulmSite.diagnostics.line(containing: "cannot stand below")
                #expect(line?.contains("/shop/ulm/till") == true, "\(line ?? "")")
                till.signal(SIGTERM)
                #expect(try till.end().exitCode == 0)
                pair.ulmSite.signal(SIGHUP)
                try pair.waitUntilLinked()
                let late = try pair.hq.start(["attach", "/shop/ulm/till", "--handle", "X"])
                let ending = try late.end()
                #expect(ending.exitCode != 0)
                #expect(ending.diagnostics.text.contains("/shop/ulm"), "\(ending.diagnostics.text)")
            }
        }

        @Test func `a second cascade-site of one bus says once that the first one holds the root`()
            throws
        {
            try SitePair.openOnBus { pair in
                let second = try SitePair.start(pair.ulm.directory)
                // The bus refuses each of its attempts.
                for _ in 0..<3 {
                    let refusals = pair.ulm.daemon.diagnostics
                    #expect(try refusals.line(containing: "the path '/' is held") != nil)
                }
                second.signal(SIGTERM)
                let ending = try second.end()
                #expect(ending.exitCode == 0)
                let lines = ending.diagnostics.text.split(separator: "\n")
                #expect(lines.count { $0.contains("does not let cascade-site hold /") } == 1)
            }
        }

        @Test
        func `a mount that an administrator has detached comes back when the site is restarted`()
            throws
        {
            try SitePair.openOnBus { pair in
                #expect(try pair.hq.run(["detach", "/shop/ulm"]).exitCode == 0)
                let line = try pair.ulmSite.diagnostics.line(containing: "cannot stand below")
                #expect(line != nil)
                pair.ulmSite.signal(SIGTERM)
                #expect(try pair.ulmSite.end().exitCode == 0)
                #expect(try pair.hq.tree()["/shop/ulm"]?.state != "live")
                try pair.startUlmSite()
                try pair.waitUntilLinked()
            }
        }

        @Test func `a site follows its mount to another place of the parent's configuration`()
            throws
        {
            try SitePair.openOnServer { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order"])
                let floor = try pair.hq.attach("/floor", ["--handle", "Order"])
                #expect(try pair.ulm.trigger("Order").by == "/hq:/shop")
                try pair.setPolicy(ofChildren: ["ulm"], below: ["/shop", "/floor"])
                try pair.setChildren("{ulm: /floor/ulm}")
                try pair.waitUntilLinked()
                #expect(try pair.ulm.trigger("Order").by == "/hq:/floor")
                #expect(try pair.hq.tree()["/floor/ulm"]?.state == "live")
                #expect(try pair.hq.tree()["/shop/ulm"]?.state != "live")
                withExtendedLifetime((shop, floor)) {}
            }
        }

        /// Starts the site `name` of a bus below the bus of another site.
        private func start(
            _ name: String, _ bus: FaultBus, below parent: String, _ above: FaultBus
        ) throws -> SpawnedProgram {
            try SitePair.write(
                """
                name: \(name)
                bus: "\(bus.endpoint)"
                parent: {name: \(parent), bus: "\(above.endpoint)", mount: /m/\(name)}

                """, to: bus.directory)
            return try SitePair.start(bus.directory)
        }

        private func stop(_ sites: [SpawnedProgram]) throws {
            for site in sites {
                site.signal(SIGTERM)
                #expect(try site.end().exitCode == 0)
            }
        }

        @Test func `a site that would stand below itself refuses, and names the path`() throws {
            try FaultBus.open { bus in
                let site = try start("a", bus, below: "b", bus)
                let line = try site.diagnostics.line(containing: "would stand below itself")
                #expect(line?.contains("b, a") == true, "\(line ?? "")")
                let check = try check(bus)
                #expect(check.exitCode == 3)
                #expect(
                    check.output.text.contains(
                        "mount       failed  this site would stand below itself: b, a"),
                    "\(check.output.text)")
                #expect(try bus.trigger("Order").outcome == "unhandled")
                try stop([site])
            }
        }

        @Test
        func `check says whether a place that is held is that of this site, or of another one`()
            throws
        {
            try FaultBus.open { above in
                try FaultBus.open { first in
                    try FaultBus.open { second in
                        let site = try start("a", first, below: "hq", above)
                        try #require(try site.diagnostics.line(containing: "linked to") != nil)
                        let own = try check(first)
                        #expect(own.exitCode == 0, "\(own.output.text)")
                        #expect(own.output.text.contains("this site stands at /m/a"))
                        // Another site is configured for the same place.
                        let other = try start("a", second, below: "hq", above)
                        try #require(try other.diagnostics.line(containing: "is held by") != nil)
                        let taken = try check(second)
                        #expect(taken.exitCode == 3, "\(taken.output.text)")
                        #expect(taken.output.text.contains("not the process of this site"))
                        try stop([other])
                        // Without its own process, too.
                        #expect(try check(second).exitCode == 3)
                        try stop([site])
                        #expect(try check(second).exitCode == 0)
                    }
                }
            }
        }

        private func check(_ bus: FaultBus) throws -> SpawnedProgram.Ending {
            try SpawnedProgram(
                "cascade-site", ["check", "--config", bus.directory + "/site.yaml"], bus: ""
            ).end()
        }

        // A node between two sites responds to all and passes it on, so a message would circulate.
        @Test func `of three sites in a circle one refuses, and nothing circulates`() throws {
            try FaultBus.open { first in
                try FaultBus.open { second in
                    try FaultBus.open { third in
                        let buses = [first, second, third]
                        let nodes = try buses.map { try $0.attach("/m", ["--handle", "Never"]) }
                        let names = ["a", "b", "c"]
                        let sites = try names.indices.map { index in
                            let above = (index + 1) % 3
                            return try start(
                                names[index], buses[index], below: names[above], buses[above])
                        }
                        var refusals: [String] = []
                        try Patience.until("one refuses") {
                            refusals = try sites.compactMap { site in
                                try site.diagnostics.readWhatIsThere()
                                return site.diagnostics.text.split(separator: "\n")
                                    .first { $0.contains("would stand below itself") }
                                    .map(String.init)
                            }
                            return !refusals.isEmpty
                        }
                        #expect(refusals.allSatisfy { $0.contains(", ") }, "\(refusals)")
                        for bus in buses {
                            let outcome = try bus.trigger("Order", ["--deadline", "10s"])
                            #expect(outcome.outcome == "unhandled", "\(outcome.text)")
                        }
                        try stop(sites)
                        withExtendedLifetime(nodes) {}
                    }
                }
            }
        }
    }
}

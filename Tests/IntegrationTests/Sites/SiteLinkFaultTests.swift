// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Faults of the server between two sites, while events are under way and local events go on.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct SiteLinkFaultTests {
        // The key may inspect its mount alone, and reads values that are set above it.
        @Test
        func `a child reads the values of its parent with no more than the rights of a child`()
            throws
        {
            try SitePair.openOnServer { pair, _ in
                let till = try pair.ulm.attach("/till", ["--watch-env", "mode"])
                let set = try pair.hq.run(["env", "set", "mode=\"dark\"", "--at", "/shop"])
                #expect(set.exitCode == 0, "\(set.diagnostics.text)")
                #expect(try till.output.line(containing: #""value":"dark""#) != nil)
            }
        }

        @Test func `a server that is killed and back in 2 s loses nothing, up or down`() throws {
            try SitePair.openOnServer { pair, server in
                let shop = try pair.attachAbove([
                    "--handle", "Order", "--concurrency", "64", "--stdio",
                ])
                let till = try pair.ulm.attach(
                    "/till", ["--subscribe", "Menu", "--concurrency", "64", "--stdio"])
                try pair.waitUntilSubscribed("Menu")
                for number in 1...64 {
                    till.write(line: #"{"trigger":"Order","ref":\#(number)}"#)
                    shop.write(line: #"{"publish":"Menu","to":"all","ref":\#(number)}"#)
                }
                let visits = try (1...64).map { _ in try shop.visit() }
                let deliveries = try (1...64).map { _ in
                    try till.output.line(ofLane: "publication")
                }
                for number in visits.indices {
                    if number == 16 {
                        // Some answers are on their way.
                        try server.kill()
                    }
                    shop.handle(visits[number])
                    till.handle(deliveries[number])
                }
                try pair.pass("2s")
                try server.start()
                try expectOutcomes(of: visits, at: till, "handled")
                try expectOutcomes(of: deliveries, at: shop, "delivered")
                #expect(!pair.ulmSite.diagnostics.text.contains("cut off"))
            }
        }

        /// Expects one outcome for each message, and no others.
        private func expectOutcomes(
            of messages: [JSONText], at origin: SpawnedProgram, _ expected: String
        ) throws {
            let lines = try origin.output.allLines(
                containing: #""lane":"outcome""#, count: messages.count)
            let outcomes = try lines.map { try JSONText($0) }
            for outcome in outcomes {
                #expect(outcome["outcome"].string == expected, "\(outcome)")
            }
            #expect(
                Set(outcomes.map { $0["id"].string }) == Set(messages.map { $0["id"].string }))
        }

        @Test func `a server that stays away cuts the site off, which is linked again soon after`()
            throws
        {
            try SitePair.openOnServer { pair, server in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":1}"#)
                let visit = try shop.visit()
                try server.kill()
                try pair.waitUntilCut()
                let outcome = try till.output.line(ofLane: "outcome")
                #expect(outcome["outcome"].string == "failed")
                #expect(outcome["error"]["name"].string == "nodeLost")
                #expect(try pair.ulm.trigger("Order").outcome == "unhandled")
                try pair.pass("1s")
                try server.start()
                try pair.waitUntilLinked()
                // The late answer changes nothing.
                shop.handle(visit)
                till.write(line: #"{"trigger":"Order","ref":2}"#)
                try shop.handle(shop.visit())
                let next = try till.output.line(ofLane: "outcome")
                #expect(next["ref"].integer == 2 && next["outcome"].string == "handled")
                #expect(try pair.ulm.siteMetric(#"ignored_total{reason="lateOutcome"}"#) == 1)
            }
        }

        @Test func `a server that is stopped for 3 s is not noticed`() throws {
            try SitePair.openOnServer { pair, server in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","ref":1}"#)
                let visit = try shop.visit()
                server.process.stop()
                shop.handle(visit)
                till.write(line: #"{"trigger":"Order","ref":2}"#)
                try pair.pass("3s")
                server.process.signal(SIGCONT)
                try shop.handle(shop.visit())
                for _ in 1...2 {
                    let outcome = try till.output.line(ofLane: "outcome")
                    #expect(outcome["outcome"].string == "handled", "\(outcome)")
                }
                #expect(!pair.ulmSite.diagnostics.text.contains("cut off"))
            }
        }

        @Test func `a server that is stopped for longer is a cut, and goes on`() throws {
            try SitePair.openOnServer { pair, server in
                let shop = try pair.attachAbove(["--handle", "Order"])
                server.process.stop()
                try pair.waitUntilCut()
                #expect(try pair.ulm.trigger("Order").outcome == "unhandled")
                server.process.signal(SIGCONT)
                try pair.waitUntilLinked()
                #expect(try pair.ulm.trigger("Order").by == "/hq:/shop")
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `a payload over the maximum of the link fails at the root with both sizes`()
            throws
        {
            try SitePair.openOnServer(server: SiteServer.Settings(maxPayload: 65_536)) { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order"])
                let fitting = String(repeating: "x", count: 60_000)
                #expect(try pair.ulm.trigger("Order", ["\"\(fitting)\""]).by == "/hq:/shop")
                let large = String(repeating: "x", count: 62_000)
                let outcome = try pair.ulm.trigger("Order", ["\"\(large)\""])
                #expect(outcome.outcome == "failed")
                #expect(outcome.error?.name == "limitReached")
                #expect(outcome.error?.message?.contains("61440") == true, "\(outcome.text)")
                withExtendedLifetime(shop) {}
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Durable events of ulm that are under way at hq.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct SiteDurabilityTests {
        private func open(
            hasLocalEvents: Bool = true, _ test: (SitePair, SiteServer) throws -> Void
        ) throws {
            let state = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(state) }
            try SitePair.openOnServer(
                ulmOptions: ["--state-directory", state, "--reattach", "500ms"],
                hasLocalEvents: hasLocalEvents, test)
        }

        private func triggerDurable(_ pair: SitePair) throws -> String {
            let ending = try pair.ulm.run(["trigger", "Order", "--durable", "--no-wait"])
            try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
            return ending.output.text.trimmingCharacters(in: .newlines)
        }

        @Test
        func `an event of which three workers at hq die is quarantined there, and fails at home`()
            throws
        {
            try open { pair, _ in
                var shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let origin = try pair.ulm.start([
                    "trigger", "Order", "--durable", "--deadline", "1m", "--json",
                ])
                for death in 1...3 {
                    let visit = try shop.visit()
                    #expect(visit["sentAgain"].isMissing == (death == 1), "\(visit)")
                    shop.kill()
                    _ = try shop.end()
                    if death < 3 {
                        shop = try pair.hq.attach("/shop", ["--handle", "Order", "--stdio"])
                    }
                }
                let outcome = try ShownOutcome(origin.end())
                #expect(outcome.outcome == "failed", "\(outcome.text)")
                #expect(outcome.error?.name == "quarantined", "\(outcome.text)")
                #expect(outcome.error?.node?.hasPrefix("/hq:") == true, "\(outcome.text)")
                try DurableEventTests.waitFor("durableUnderWay", 0, pair.ulm)
            }
        }

        @Test func `durable events under way when home loses its daemon and site are raised again`()
            throws
        {
            try open(hasLocalEvents: false) { pair, _ in
                let shop = try pair.attachAbove(
                    ["--handle", "Order", "--stdio", "--concurrency", "16"])
                var ids: Set<String> = []
                for _ in 1...8 {
                    ids.insert(try triggerDurable(pair))
                }
                var seen: Set<String> = []
                for _ in 1...8 {
                    let visit = try shop.visit()
                    #expect(visit["sentAgain"].isMissing)
                    seen.insert(visit["id"].string ?? "")
                }
                #expect(seen == ids)
                pair.ulmSite.kill()
                try pair.ulm.killDaemon()
                _ = try pair.ulmSite.end()
                try pair.ulm.startDaemon()
                try pair.startUlmSite()
                // Each comes to the shop again, marked: its session lets it wait for the work that goes on.
                try Patience.until("all events are raised again at hq") {
                    try pair.hq.counters()["triggered"] ?? 0 >= 16
                }
                for id in ids {
                    shop.write(line: #"{"id":"\#(id)","verdict":"handled"}"#)
                }
                try DurableEventTests.waitFor("durableUnderWay", 0, pair.ulm)
                try shop.output.readWhatIsThere()
                let visits = shop.output.text.split(separator: "\n").count {
                    $0.contains(#""lane":"event""#)
                }
                #expect(visits == 8)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Glibc
import Testing
import ZeroMQ

extension Faults {
    /// A child that the parent's policy does not allow any more.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct SiteWithdrawalTests {
        /// The time within which a link must have ended: five times what is promised.
        private static let endMilliseconds = 5_000.0

        @Test func `a policy that is withdrawn ends the link, and rejects what is queued`() throws {
            try SitePair.openOnServer { pair, _ in
                // One event is with the shop, and the other one waits for it at hq.
                let shop = try RawPeer.greeted(pair.hq.endpoint)
                _ = try shop.attach(
                    NodeDeclaration(
                        path: "/shop", responders: [ResponderDeclaration(.handle, "Order")],
                        concurrency: 1, prefetch: 1))
                try Patience.until("ulm knows the shop") {
                    try pair.ulm.run(["route", "Order"]).exitCode == 0
                }
                let till = try pair.ulm.attach("/till", ["--stdio"])
                for number in 1...2 {
                    till.write(line: #"{"trigger":"Order","deadline":"1m","ref":\#(number)}"#)
                }
                let visit = try shop.nextVisit()
                #expect(visit.command == .visit)
                try Patience.until("both events are under way at hq") {
                    try pair.hq.counters()["triggered"] ?? 0 >= 2
                }
                let start = MonotonicClock.now()
                try pair.setPolicy(ofChildren: ["bonn"])
                let line = try pair.ulmSite.diagnostics.line(containing: "cannot stand below 'hq'")
                #expect(start.millisecondsAgo < Self.endMilliseconds)
                #expect(line?.contains("may not") == true, "\(line ?? "")")
                #expect(try pair.hq.tree()["/shop/ulm"]?.state != "live")
                var outcomes: [Int: String] = [:]
                for _ in 1...2 {
                    let outcome = try till.output.line(ofLane: "outcome")
                    outcomes[outcome["ref"].integer ?? 0] = outcome["outcome"].string
                }
                #expect(outcomes[2] == "rejected", "\(outcomes)")
                #expect(outcomes[1] == "failed", "\(outcomes)")
                try pair.setPolicy(ofChildren: ["ulm", "bonn"])
                pair.ulmSite.signal(SIGHUP)
                try pair.waitUntilLinked()
            }
        }

        @Test func `a reload of the site tries again what the parent's policy has refused`() throws
        {
            try SitePair.openOnServer { pair, _ in
                let display = try pair.ulm.attach("/display", ["--subscribe", "Menu"])
                try pair.waitUntilSubscribed("Menu")
                try pair.setPolicy("allow attach, trigger, uplink /shop/ulm to key ulm\n")
                #expect(
                    try pair.ulmSite.diagnostics.line(containing: "cannot stand below 'hq'") != nil)
                pair.ulmSite.signal(SIGHUP)
                try pair.waitUntilLinked()
                let findings = try pair.ulm.run(["check"]).output.text
                #expect(findings.contains("may not subscribe"), "\(findings)")
                #expect(findings.contains("may not inspect"), "\(findings)")
                try pair.setPolicy(ofChildren: ["ulm", "bonn"])
                pair.ulmSite.signal(SIGHUP)
                try pair.waitUntilSubscribed("Menu")
                try Patience.until("everything crosses") {
                    try pair.ulm.run(["check"]).exitCode == 0
                }
                withExtendedLifetime(display) {}
            }
        }

        @Test(arguments: [false, true])
        func `a child that is removed, or whose key is, loses its link soon`(isKey: Bool) throws {
            try SitePair.openOnServer { pair, server in
                let start = MonotonicClock.now()
                if isKey {
                    try server.admit(only: ["bonn"])
                } else {
                    try pair.setChildren("{bonn: /shop/bonn}")
                }
                let line = try pair.ulmSite.diagnostics.line(containing: "the link to 'hq' is lost")
                #expect(line != nil)
                #expect(start.millisecondsAgo < Self.endMilliseconds)
                let why = isKey ? "cannot be used with this site's key" : "unknownSite"
                let refusal = try pair.ulmSite.diagnostics.line(containing: "cannot stand below")
                #expect(refusal?.contains(why) == true, "\(refusal ?? "")")
            }
        }
    }
}

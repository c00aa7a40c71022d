// SPDX-License-Identifier: Apache-2.0

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
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                for number in 1...2 {
                    till.write(line: #"{"trigger":"Order","deadline":"1m","ref":\#(number)}"#)
                }
                let visit = try shop.visit()
                let start = MonotonicClock.now()
                try pair.setPolicy(ofChildren: ["bonn"])
                let line = try pair.ulmSite.diagnostics.line(containing: "cannot stand below 'hq'")
                #expect(start.millisecondsAgo < Self.endMilliseconds)
                #expect(line?.contains("may not") == true, "\(line ?? "")")
                #expect(try pair.hq.tree()["/shop/ulm"]?.state != "live")
                // The shop works on one of the events, whose end counts no more; the other one was queued.
                shop.handle(visit)
                var outcomes: [Int: String] = [:]
                for _ in 1...2 {
                    let outcome = try till.output.line(ofLane: "outcome")
                    outcomes[outcome["ref"].integer ?? 0] = outcome["outcome"].string
                }
                #expect(outcomes[2] == "rejected", "\(outcomes)")
                #expect(outcomes[1] != "handled", "\(outcomes)")
                try pair.setPolicy(ofChildren: ["ulm", "bonn"])
                pair.ulmSite.signal(SIGHUP)
                try pair.waitUntilLinked()
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
                let why = isKey ? "does not accept this site's key" : "unknownSite"
                let refusal = try pair.ulmSite.diagnostics.line(containing: "cannot stand below")
                #expect(refusal?.contains(why) == true, "\(refusal ?? "")")
            }
        }
    }
}

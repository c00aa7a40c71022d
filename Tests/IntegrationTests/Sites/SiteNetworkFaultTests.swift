// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Faults of the network between two sites: each site is in a network namespace, and a cable joins them.
    @FaultThread
    @Suite(
        .enabled(if: SitePair.isBuilt && SiteServer.isInstalled),
        .enabled(if: Namespaces.haveNetworks, "only root may create network namespaces"))
    struct SiteNetworkFaultTests {
        /// A fault of the cable.
        enum Fault: String, CaseIterable {
            case pulledOut
            /// What ulm sends is lost.
            case deafParent
            /// What hq sends is lost.
            case deafChild

            @FaultThread func begin(_ network: SiteNetwork) throws {
                switch self {
                case .pulledOut: try network.setCable(isUp: false)
                case .deafParent: try network.setBlackhole(from: .ulm, isThere: true)
                case .deafChild: try network.setBlackhole(from: .hq, isThere: true)
                }
            }

            @FaultThread func end(_ network: SiteNetwork) throws {
                switch self {
                case .pulledOut: try network.setCable(isUp: true)
                case .deafParent: try network.setBlackhole(from: .ulm, isThere: false)
                case .deafChild: try network.setBlackhole(from: .hq, isThere: false)
                }
            }
        }

        @Test(arguments: Fault.allCases)
        func `a partition of 3 s fails nothing`(fault: Fault) throws {
            let network = try SiteNetwork()
            try SitePair.openOnServer(network: network) { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","ref":1}"#)
                let visit = try shop.visit()
                try fault.begin(network)
                // One message each way is lost at once, so that both sides send again.
                shop.handle(visit)
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":2}"#)
                try pair.pass("3s")
                try fault.end(network)
                try shop.handle(shop.visit())
                for _ in 1...2 {
                    let outcome = try till.output.line(ofLane: "outcome")
                    #expect(outcome["outcome"].string == "handled", "\(outcome)")
                }
                #expect(!pair.ulmSite.diagnostics.text.contains("cut off"))
            }
        }

        // 10 s are a cut with the patience of 5 s, and 6 s with that of 3 s.
        @Test(arguments: Fault.allCases)
        func `a longer partition is a cut, and the site is linked again after it`(
            fault: Fault
        ) throws {
            let network = try SiteNetwork()
            try SitePair.openOnServer(
                settings: Measuring.isOn ? "" : "patience: 3s\n", network: network
            ) { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":1}"#)
                let visit = try shop.visit()
                try fault.begin(network)
                try pair.pass(Measuring.isOn ? "10s" : "6s")
                try pair.waitUntilCut()
                let outcome = try till.output.line(ofLane: "outcome")
                #expect(outcome["error"]["name"].string == "nodeLost", "\(outcome)")
                #expect(try pair.ulm.trigger("Order").outcome == "unhandled")
                try fault.end(network)
                try pair.waitUntilLinked()
                // The late answer changes nothing.
                shop.handle(visit)
                till.write(line: #"{"trigger":"Order","ref":2}"#)
                try shop.handle(shop.visit())
                let next = try till.output.line(ofLane: "outcome")
                #expect(next["ref"].integer == 2 && next["outcome"].string == "handled")
            }
        }

        @Test(.enabled(if: SiteNetwork.canLimitRate, "the kernel cannot limit a rate (sch_tbf)"))
        func `on a slow line events wait at the root, and their deadlines count`() throws {
            let network = try SiteNetwork()
            try SitePair.openOnServer(network: network) { pair, server in
                let shop = try pair.attachAbove(["--handle", "Order"])
                let bonn = try SiteChild("bonn", of: pair, over: server, network: network)
                let counter = try bonn.bus.attach("/counter", ["--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                try network.limitRate(of: .ulm, bitsPerSecond: 64_000)
                // 96 kB take 12 s, and the deadline is 3 s.
                let payload = String(repeating: "x", count: 2_000)
                for number in 1...48 {
                    till.write(
                        line:
                            #"{"trigger":"Order","payload":"\#(payload)","deadline":"3s","ref":\#(number)}"#
                    )
                }
                // The other child is not affected meanwhile.
                for number in 1...48 {
                    counter.write(line: #"{"trigger":"Order","deadline":"1s","ref":\#(number)}"#)
                    let outcome = try counter.output.line(ofLane: "outcome")
                    #expect(outcome["outcome"].string == "handled", "\(outcome)")
                }
                var outcomes: [String: Int] = [:]
                var told: Set<Int?> = []
                for _ in 1...48 {
                    let outcome = try till.output.line(ofLane: "outcome")
                    outcomes[outcome["outcome"].string ?? "", default: 0] += 1
                    told.insert(outcome["ref"].integer)
                }
                #expect(told.count == 48)
                #expect(Set(outcomes.keys) == ["handled", "timedOut"], "\(outcomes)")
                #expect(!pair.ulmSite.diagnostics.text.contains("cut off"))
                try bonn.stop()
                withExtendedLifetime(shop) {}
            }
        }
    }
}

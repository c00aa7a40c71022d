// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Foundation
import NATS
import Testing

extension Faults {
    /// Messages of an earlier link that the server carries once more.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct SiteOldLinkTests {
        /// Records what children send to hq.
        @FaultThread
        private final class Recorder: RawServerPeer {
            private(set) var messages: [ReceivedMessage] = []

            init(on server: SiteServer) throws {
                try super.init("recorder", with: SiteServer.hq, on: server)
                try subscribe(to: subjects.upPattern)
            }

            override func received(_ message: ReceivedMessage) throws {
                messages.append(message)
            }
        }

        @Test func `recorded messages of an old link have no effect, and are counted`() throws {
            try SitePair.openOnServer { pair, server in
                let recorder = try Recorder(on: server)
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                // The recorder has a link from its request on.
                try pair.killAndLinkUlmAgain()
                let first = try pair.ulm.start(["trigger", "Order", "--json"])
                try shop.handle(shop.visit())
                #expect(try ShownOutcome(first.end()).by == "/hq:/shop")
                try recorder.takeAll()
                let old = recorder.messages
                #expect(old.contains { $0.subject.hasSuffix(".open") })
                try #require(old.count { !$0.subject.hasSuffix(".open") } > 2)

                try pair.killAndLinkUlmAgain()
                let child = try #require(SiteServer.children["ulm"])
                let again = try RawServerPeer("again", with: child, on: server)
                for message in old {
                    try again.publish(message.bytes, to: message.subject)
                }
                try again.synchronize()
                let ofLink = old.count { !$0.subject.hasSuffix(".open") }
                try Patience.until("all messages are counted") {
                    try pair.hq.siteMetric(#"ignored_total{reason="unknownLink"}"#) >= ofLink
                }
                #expect(try pair.hq.siteMetric(#"ignored_total{reason="staleOpening"}"#) > 0)
                let second = try pair.ulm.start(["trigger", "Order", "--json"])
                let visit = try shop.visit()
                #expect(visit["sentAgain"].isMissing, "\(visit)")
                shop.handle(visit)
                #expect(try ShownOutcome(second.end()).by == "/hq:/shop")
                try shop.output.readWhatIsThere()
                let visits = shop.output.text.split(separator: "\n").count {
                    $0.contains(#""lane":"event""#)
                }
                #expect(visits == 2)
                #expect(!pair.ulmSite.diagnostics.text.contains("cut off"))
            }
        }

        @Test func `an old request at a new gate does not end the link of the child`() throws {
            try SitePair.openOnServer { pair, server in
                let recorder = try Recorder(on: server)
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                try pair.killAndLinkUlmAgain()
                try recorder.takeAll()
                let request = try #require(
                    recorder.messages.first { $0.subject.hasSuffix(".open") })
                try pair.killHqSite()
                try pair.startHqSite()
                try pair.waitUntilLinked()

                let child = try #require(SiteServer.children["ulm"])
                let again = try RawServerPeer("again", with: child, on: server)
                try again.publish(request.bytes, to: request.subject)
                try again.synchronize()
                let event = try pair.ulm.start(["trigger", "Order", "--json"])
                try shop.handle(shop.visit())
                #expect(try ShownOutcome(event.end()).by == "/hq:/shop")
                try pair.hqSite.diagnostics.readWhatIsThere()
                #expect(!pair.hqSite.diagnostics.text.contains("another link"))
            }
        }
    }
}

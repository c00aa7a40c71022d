// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Messages that are as long as the link allows, and one byte longer.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct SiteLimitTests {
        /// The link's maximum on a server with a `max_payload` of 65,536 bytes.
        private static let maximum = 61_440

        private func payload(_ byteCount: Int) -> String {
            "\"\(String(repeating: "x", count: byteCount - 2))\""
        }

        /// The first number after the words in a sentence.
        private func number(after words: String, in sentence: String) throws -> Int {
            let rest = try #require(sentence.range(of: words), "\(sentence)").upperBound
            let digits = sentence[rest...].prefix { $0.isNumber }
            return try #require(Int(digits), "\(sentence)")
        }

        @Test
        func `an event as long as the link allows goes up, and one byte more fails at the root`()
            throws
        {
            try SitePair.openOnServer(server: SiteServer.Settings(maxPayload: 65_536)) { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order"])
                // The daemons add a few bytes to a payload, which the refusal tells.
                let long = try pair.ulm.trigger("Order", [payload(62_000)])
                let sentence = try #require(long.error?.message)
                let added = try number(after: "the message has ", in: sentence) - 62_000
                let fits = try pair.ulm.trigger("Order", [payload(Self.maximum - added)])
                #expect(fits.by == "/hq:/shop", "\(fits.text)")
                let exceeds = try pair.ulm.trigger("Order", [payload(Self.maximum - added + 1)])
                #expect(exceeds.outcome == "failed")
                #expect(exceeds.error?.name == "limitReached")
                #expect(exceeds.error?.node == "/")
                #expect(
                    exceeds.error?.message == "it does not go up to 'hq': the message has "
                        + "\(Self.maximum + 1) bytes, and the connection carries at most "
                        + "\(Self.maximum)", "\(exceeds.text)")
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `a publication one byte longer than the link allows fails for the site`() throws
        {
            try SitePair.openOnServer(server: SiteServer.Settings(maxPayload: 65_536)) { pair, _ in
                let till = try pair.ulm.attach("/till", ["--subscribe", "Menu"])
                @FaultThread func publish(_ byteCount: Int) throws -> ShownOutcome {
                    try ShownOutcome(
                        pair.hq.run(
                            ["publish", "Menu", payload(byteCount), "--to", "all", "--json"]))
                }
                try Patience.until("the subscriber of the site is a recipient") {
                    try publish(10).paths == ["/shop/ulm/till"]
                }
                let long = try publish(62_000)
                let sentence = try #require(long.error?.message, "\(long.text)")
                let added = try number(after: "a message of ", in: sentence) - 62_000
                let fits = try publish(Self.maximum - added)
                #expect(fits.outcome == "delivered" && fits.paths == ["/shop/ulm/till"])
                let exceeds = try publish(Self.maximum - added + 1)
                #expect(exceeds.outcome == "failed", "\(exceeds.text)")
                #expect(exceeds.error?.name == "limitReached")
                #expect(
                    exceeds.error?.message == "a message of \(Self.maximum + 1) bytes from 'hq' "
                        + "exceeds the limit of the link to 'ulm', \(Self.maximum) bytes",
                    "\(exceeds.text)")
                withExtendedLifetime(till) {}
            }
        }

        @Test func `a message that a server takes no more fails, and blocks no other`()
            throws
        {
            try SitePair.openOnServer { pair, server in
                let shop = try pair.attachAbove(["--handle", "Order"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                try server.kill()
                let long = payload(200_000)
                till.write(line: #"{"trigger":"Order","payload":\#(long),"deadline":"1m","ref":1}"#)
                server.settings.maxPayload = 65_536
                try server.start()
                let outcome = try till.output.line(ofLane: "outcome")
                #expect(outcome["error"]["name"].string == "limitReached", "\(outcome)")
                #expect(try pair.ulm.trigger("Order").by == "/hq:/shop")
                let words = "exceeds the maximum of the server, 65536 bytes"
                #expect(try pair.ulmSite.diagnostics.line(containing: words) != nil)
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `a reload of the gate keeps the maximum of the server`() throws {
            try SitePair.openOnServer(server: SiteServer.Settings(maxPayload: 65_536)) { pair, _ in
                let till = try pair.ulm.attach("/till", ["--subscribe", "Menu"])
                try pair.setChildren("{ulm: /shop/ulm}")
                try pair.killAndLinkUlmAgain()
                try pair.waitUntilSubscribed("Menu")
                let outcome = try ShownOutcome(
                    pair.hq.run(["publish", "Menu", payload(62_000), "--to", "all", "--json"]))
                #expect(outcome.error?.name == "limitReached", "\(outcome.text)")
                withExtendedLifetime(till) {}
            }
        }

        @Test func `a reply that is too long for the link fails the request`() throws {
            try SitePair.openOnServer(server: SiteServer.Settings(maxPayload: 65_536)) { pair, _ in
                let shop = try pair.attachAbove(["--respond", "Price", "--reply", payload(62_000)])
                let answer = try pair.ulm.run(["request", "Price", "--json"])
                #expect(answer.exitCode != 0)
                let text = answer.output.text + answer.diagnostics.text
                #expect(text.contains("limitReached"), "\(text)")
                #expect(text.contains("exceeds the limit of the link to 'ulm', 61440 bytes"))
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `values that are too long together leave the site linked, and are told`() throws
        {
            try SitePair.openOnServer(server: SiteServer.Settings(maxPayload: 65_536)) {
                pair, server in
                for key in ["first", "second"] {
                    let set = try pair.hq.run(
                        ["env", "set", "\(key)=\(payload(40_000))", "--at", "/shop"])
                    #expect(set.exitCode == 0, "\(set.diagnostics.text)")
                }
                // Another link begins with the answer that is too long.
                pair.ulmSite.signal(SIGTERM)
                #expect(try pair.ulmSite.end().exitCode == 0)
                try pair.startUlmSite()
                try pair.waitUntilLinked()
                let sites = try pair.ulm.run(["sites", "--json"]).document()
                let own = sites["sites"].elements.first { $0["name"].string == "ulm" }
                let sentences = own?["notCarried"].strings
                #expect(
                    sentences?.first?.hasPrefix("values of 'hq' are not read: together they have ")
                        == true, "\(sentences ?? [])")
                #expect(sites["path"].strings == ["hq", "ulm"])
            }
        }
    }
}

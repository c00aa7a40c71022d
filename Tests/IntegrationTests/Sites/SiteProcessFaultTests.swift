// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Processes of two sites that are killed or stopped while events are under way and local events go on.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct SiteProcessFaultTests {
        private func openDurable(
            settings: String = "", _ test: (SitePair, SiteServer) throws -> Void
        ) throws {
            let state = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(state) }
            try SitePair.openOnServer(
                ulmOptions: ["--state-directory", state], settings: settings, test)
        }

        // MARK: - cascade-site

        @Test func `with the child's cascade-site goes what it had, but no durable event`() throws {
            try openDurable { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":1}"#)
                let visit = try shop.visit()
                let durable = try pair.ulm.run(
                    ["trigger", "Order", "--from", "/till", "--durable", "--no-wait"])
                #expect(durable.exitCode == 0, "\(durable.diagnostics.text)")
                let id = durable.output.text.trimmingCharacters(in: .newlines)
                try pair.killUlmSite()
                let outcome = try till.output.line(ofLane: "outcome")
                #expect(outcome["error"]["name"].string == "nodeLost", "\(outcome)")
                // The late answer changes nothing.
                shop.handle(visit)
                try pair.startUlmSite()
                try pair.waitUntilLinked()
                let line = try #require(try shop.output.line(containing: id))
                try shop.handle(JSONText(line))
                try DurableEventTests.waitFor("durableUnderWay", 0, pair.ulm)
            }
        }

        @Test func `a gate that is killed and back within the patience costs no event`() throws {
            try SitePair.openOnServer { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":1}"#)
                let visit = try shop.visit()
                try pair.killHqSite()
                shop.handle(visit)
                try pair.startHqSite()
                let outcome = try till.output.line(ofLane: "outcome")
                #expect(outcome["outcome"].string == "handled", "\(outcome)")
                #expect(outcome["by"].string == "/hq:/shop")
                try pair.waitUntilLinked()
                #expect(!pair.ulmSite.diagnostics.text.contains("cut off"))
            }
        }

        @Test(arguments: [false, true])
        func `a bridge or gate that is stopped for 3 s is not noticed`(isGate: Bool) throws {
            try SitePair.openOnServer { pair, _ in
                let site = isGate ? pair.hqSite : pair.ulmSite
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":1}"#)
                let visit = try shop.visit()
                site.stop()
                shop.handle(visit)
                try pair.pass("3s")
                site.signal(SIGCONT)
                let outcome = try till.output.line(ofLane: "outcome")
                #expect(outcome["outcome"].string == "handled", "\(outcome)")
                #expect(!pair.ulmSite.diagnostics.text.contains("cut off"))
            }
        }

        // 10 s are a cut with the patience of 5 s, and 6 s with that of 3 s.
        @Test(arguments: [false, true])
        func `a server or gate that is stopped for longer is a cut, and a late answer is ignored`(
            isGate: Bool
        ) throws {
            try SitePair.openOnServer(settings: Measuring.isOn ? "" : "patience: 3s\n") {
                pair, server in
                let process = isGate ? pair.hqSite : server.process
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":1}"#)
                let visit = try shop.visit()
                process.stop()
                try pair.pass(Measuring.isOn ? "10s" : "6s")
                process.signal(SIGCONT)
                let outcome = try till.output.line(ofLane: "outcome")
                #expect(outcome["error"]["name"].string == "nodeLost", "\(outcome)")
                try pair.waitUntilCut()
                try pair.waitUntilLinked()
                // The late answer changes nothing.
                shop.handle(visit)
                till.write(line: #"{"trigger":"Order","ref":2}"#)
                try shop.handle(shop.visit())
                let next = try till.output.line(ofLane: "outcome")
                #expect(next["ref"].integer == 2 && next["outcome"].string == "handled")
            }
        }

        // The gate ends the link after its own patience of 5 s. A bridge that goes on learns that, and its session
        // resumes on the next link: its own patience begins then.
        @Test func `a bridge that is stopped for longer loses its mount for a while, and no event`()
            throws
        {
            try SitePair.openOnServer { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":1}"#)
                let visit = try shop.visit()
                pair.ulmSite.stop()
                try pair.hq.wait("/shop/ulm", "vacant")
                if Measuring.isOn {
                    try pair.pass("5s")
                }
                shop.handle(visit)
                pair.ulmSite.signal(SIGCONT)
                let outcome = try till.output.line(ofLane: "outcome")
                #expect(outcome["outcome"].string == "handled", "\(outcome)")
                try pair.waitUntilLinked()
            }
        }

        @Test func `three cuts quarantine no durable event`() throws {
            try openDurable(settings: "patience: 3s\n") { pair, server in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let durable = try pair.ulm.run(["trigger", "Order", "--durable", "--no-wait"])
                let id = durable.output.text.trimmingCharacters(in: .newlines)
                #expect(try shop.output.line(containing: id)?.contains("sentAgain") == false)
                for _ in 1...3 {
                    try server.kill()
                    try pair.waitUntilCut()
                    try server.start()
                    try pair.waitUntilLinked()
                }
                var answeredCount = 0
                try Patience.until("the event has its outcome") {
                    try shop.output.readWhatIsThere()
                    let visits = shop.output.text.split(separator: "\n").filter {
                        $0.contains(#""lane":"event""#)
                    }
                    for line in visits.dropFirst(answeredCount) {
                        try shop.handle(JSONText(line))
                    }
                    answeredCount = visits.count
                    return try pair.ulm.counters()["durableUnderWay"] == 0
                }
                let visits = shop.output.text.split(separator: "\n").filter { $0.contains(id) }
                // Each effect after the first one is marked.
                #expect(visits.dropFirst().allSatisfy { $0.contains(#""sentAgain":true"#) })
                #expect(try pair.ulm.counters()["quarantined"] ?? 0 == 0)
            }
        }

        // libzmq tells the end of a connection and the messages of the next one in any order.
        @Test func `a site that is killed has its mount again at once, with libzmq at the parent`()
            throws
        {
            try SitePair.openOnServer(hqOptions: ["--transport", "libzmq"]) { pair, _ in
                for _ in 1...10 {
                    try pair.killAndLinkUlmAgain()
                }
                #expect(!pair.ulmSite.diagnostics.text.contains("cannot stand below"))
            }
        }

        @Test func `a child opens more links one after the other than may be unclosed`() throws {
            try SitePair.openOnServer { pair, _ in
                for _ in 1...5 {
                    try pair.killAndLinkUlmAgain()
                }
                #expect(!pair.hqSite.diagnostics.text.contains("not closed yet"))
            }
        }

        // MARK: - Daemons

        @Test func `a site whose daemon stays away leaves its mount`() throws {
            try SitePair.openOnServer(
                ulmOptions: ["--reattach", "20s"], settings: "patience: 3s\n",
                hasLocalEvents: false
            ) { pair, _ in
                try pair.ulm.killDaemon()
                let left = try pair.hq.daemon.diagnostics.line(containing: "/shop/ulm left")
                #expect(left != nil, "\(pair.hq.daemon.diagnostics.text)")
                try pair.ulm.startDaemon()
                try pair.waitUntilLinked()
            }
        }

        @Test func `an event under way when the child's daemon is killed is not raised twice`()
            throws
        {
            try SitePair.openOnServer(
                ulmOptions: ["--reattach", "20s"], hasLocalEvents: false
            ) { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":1}"#)
                let visit = try shop.visit()
                try pair.ulm.killDaemon()
                try pair.ulm.startDaemon()
                try pair.ulm.wait("/till", "live")
                shop.handle(visit)
                let outcome = try till.output.line(ofLane: "outcome")
                #expect(outcome["outcome"].string == "handled", "\(outcome)")
                #expect(outcome["id"] == visit["id"])
                try shop.output.readWhatIsThere()
                let id = visit["id"].string ?? ""
                #expect(shop.output.text.components(separatedBy: "\"id\":\"\(id)\"").count == 2)
            }
        }

        @Test func `after the parent's daemon was killed, an event is raised again and marked`()
            throws
        {
            try SitePair.openOnServer(hqOptions: ["--reattach", "20s"]) { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":1}"#)
                let visit = try shop.visit()
                #expect(visit["sentAgain"].isMissing)
                try pair.hq.killDaemon()
                try pair.hq.startDaemon()
                let again = try shop.visit()
                #expect(again["id"] == visit["id"] && again["sentAgain"].bool == true)
                shop.handle(again)
                let outcome = try till.output.line(ofLane: "outcome")
                #expect(outcome["outcome"].string == "handled", "\(outcome)")
                try pair.waitUntilLinked()
            }
        }

        @Test func `while the parent's daemon is away, the attempts to link are logged once`()
            throws
        {
            try SitePair.openOnServer(settings: "patience: 3s\n") { pair, _ in
                try pair.hq.killDaemon()
                try pair.waitUntilCut()
                // The link that was up, and the end of the patience with it.
                let lines = pair.ulmSite.diagnostics.text.split(separator: "\n")
                    .drop { !$0.contains("the link to 'hq' is lost: ") }
                #expect(lines.count == 2, "\(lines)")
                try pair.hq.startDaemon()
                try pair.waitUntilLinked()
                #expect(try pair.hqSite.diagnostics.line(containing: "linked with") != nil)
                #expect(try pair.hqSite.diagnostics.line(containing: "linked with") != nil)
                let ends = pair.hqSite.diagnostics.text.split(separator: "\n").filter {
                    $0.contains("the link with 'ulm' has ended: ")
                }
                #expect(ends.count == 1, "\(ends)")
            }
        }

        @Test
        func `of a daemon that accepts connections and closes them, the log has one line`()
            throws
        {
            try SitePair.openOnServer(settings: "patience: 3s\n") { pair, _ in
                try pair.hq.killDaemon()
                let daemon = try SpawnedProgram(
                    "/usr/bin/env", ["python3", "-c", Self.closingDaemon, pair.hq.endpoint],
                    bus: "")
                for _ in 1...20 {
                    try #require(try daemon.output.line(containing: "closed") != nil)
                }
                try pair.waitUntilCut()
                for site in [pair.hqSite, pair.ulmSite] {
                    try site.diagnostics.readWhatIsThere()
                    let lines = site.diagnostics.text.split(separator: "\n")
                    let sentences = lines.map { $0.drop { $0 != " " } }
                    #expect(Set(sentences).count == sentences.count, "\(lines)")
                }
                let gate = pair.hqSite.diagnostics.text.components(separatedBy: "'ulm'")
                let home = pair.hqSite.diagnostics.text.components(separatedBy: "trying again")
                #expect(gate.count == 3 && home.count == 2, "\(gate)")
                daemon.kill()
                _ = try daemon.end()
                try pair.hq.startDaemon()
                try pair.waitUntilLinked()
            }
        }

        /// A program that serves a socket as a daemon does that has reached a limit of the system.
        private static let closingDaemon = """
            import os, socket, sys
            path = sys.argv[1].removeprefix("ipc://")
            if os.path.exists(path):
                os.unlink(path)
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(path)
            listener.listen(64)
            while True:
                listener.accept()[0].close()
                print("closed", flush=True)
            """

        @Test func `while the parent's daemon is stopped, deadlines decide`() throws {
            try SitePair.openOnServer { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                pair.hq.daemon.stop()
                till.write(line: #"{"trigger":"Order","deadline":"2s","ref":"short"}"#)
                till.write(line: #"{"trigger":"Order","deadline":"1m","ref":"long"}"#)
                let short = try till.output.line(ofLane: "outcome")
                #expect(short["ref"].string == "short")
                #expect(short["outcome"].string == "timedOut", "\(short)")
                if Measuring.isOn {
                    try pair.pass("8s")
                }
                // The gate lives, so the link does.
                #expect(!pair.ulmSite.diagnostics.text.contains("cut off"))
                pair.hq.daemon.signal(SIGCONT)
                let long = try till.output.line(ofLane: "outcome")
                #expect(long["ref"].string == "long" && long["outcome"].string == "handled")
                withExtendedLifetime(shop) {}
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Two buses on one machine as one tree.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt)) struct SiteEventTests {
        @Test func `an event goes on at the parent, and its outcome names both sites`() throws {
            try SitePair.openOnBus { pair in
                let shop = try pair.attachAbove(["--handle", "PaperJam"])
                let printer = try pair.ulm.attach("/kitchen/printer", ["--stdio"])
                let ending = try pair.ulm.run([
                    "trigger", "PaperJam", "{\"tray\":2}", "--from", "/kitchen/printer", "--json",
                ])
                let outcome = try ending.document()
                #expect(outcome["outcome"].string == "handled")
                #expect(outcome["by"].string == "/hq:/shop")
                #expect(
                    outcome["trail"].elements.map { $0["path"].string } == ["/", "/hq:/shop"])
                let visit = try shop.output.line(ofLane: "event")
                #expect(visit["origin"].string == "/shop/ulm/kitchen/printer")
                #expect(visit["payload"]["tray"].integer == 2)
                #expect(visit["id"] == outcome["id"])
                withExtendedLifetime(printer) {}
            }
        }

        @Test func `a request is answered from above, and an unknown one ends at home`() throws {
            try SitePair.openOnBus { pair in
                let shop = try pair.attachAbove(["--respond", "Price", "--reply", "7"])
                let answer = try pair.ulm.run(["request", "Price", "--json"])
                #expect(answer.exitCode == 0, "\(answer.diagnostics.text)")
                #expect(answer.output.text.contains("7"))
                withExtendedLifetime(shop) {}
                let unknown = try pair.ulm.trigger("Unknown")
                #expect(unknown.outcome == "unhandled")
                #expect(!unknown.text.contains("hq:"))
            }
        }

        @Test func `an error goes on at the parent with its payload and its words`() throws {
            try SitePair.openOnBus { pair in
                let shop = try pair.hq.attach("/shop", ["--handle-error", "OutOfPaper"])
                try Patience.until("the site knows who handles the error above") {
                    try pair.ulm.run(["route", "OutOfPaper", "--lane", "error"]).exitCode == 0
                }
                let printer = try pair.ulm.attach("/printer", ["--stdio"])
                let ending = try pair.ulm.run([
                    "report", "OutOfPaper", "{\"tray\":2}", "--title", "Printer", "--message",
                    "Tray 2 is empty", "--attribute", "floor=3", "--from", "/printer", "--json",
                ])
                #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
                #expect(try ending.document()["by"].string == "/hq:/shop")
                let visit = try shop.output.line(ofLane: "error")
                #expect(visit["payload"]["tray"].integer == 2, "\(visit)")
                #expect(visit["attributes"]["floor"].string == "3", "\(visit)")
                #expect(visit["message"].string == "Tray 2 is empty", "\(visit)")
                #expect(visit["title"].string == "Printer", "\(visit)")
                #expect(visit["origin"].string == "/shop/ulm/printer")
                withExtendedLifetime(printer) {}
            }
        }

        @Test func `a publication at the parent reaches the subscribers of the site`() throws {
            try SitePair.openOnBus { pair in
                let till = try pair.ulm.attach("/kitchen/till", ["--subscribe", "Menu"])
                let shop = try pair.hq.attach("/shop", ["--stdio"])
                // The mount learns of a subscriber within a moment; until then it is not a recipient.
                try Patience.until("the subscriber of the site is a recipient") {
                    shop.write(line: #"{"publish":"Menu","to":"all","payload":{"dish":1}}"#)
                    let outcome = try shop.output.line(ofLane: "outcome")
                    return outcome["paths"].strings == ["/shop/ulm/kitchen/till"]
                }
                let publication = try till.output.line(ofLane: "publication")
                #expect(publication["payload"]["dish"].integer == 1)
                #expect(publication["origin"].string == "/hq:/shop")
            }
        }

        @Test func `a value of the parent is read in the site, and stands after a cut`() throws {
            try SitePair.openOnBus { pair in
                let till = try pair.ulm.attach("/till", ["--watch-env", "mode"])
                let set = try pair.hq.run(["env", "set", "mode=\"dark\"", "--at", "/shop"])
                #expect(set.exitCode == 0, "\(set.diagnostics.text)")
                #expect(try till.output.line(containing: #""value":"dark""#) != nil)
                let before = try pair.ulm.run(["env", "get", "site.path", "--at", "/till"])
                #expect(before.output.text.contains("hq"), "\(before.output.text)")
                try pair.hq.killDaemon()
                try pair.waitUntilCut()
                let after = try pair.ulm.run(["env", "get", "mode", "--at", "/till"])
                #expect(after.output.text.contains("dark"), "\(after.output.text)")
                try pair.hq.startDaemon()
                try pair.waitUntilLinked()
            }
        }

        @Test func `a site that stops leaves its mount, and its events end at home`() throws {
            try SitePair.openOnBus { pair in
                let shop = try pair.attachAbove(["--handle", "Order"])
                #expect(try pair.ulm.trigger("Order").by == "/hq:/shop")
                pair.ulmSite.signal(SIGTERM)
                #expect(try pair.ulmSite.end().exitCode == 0)
                #expect(try pair.hq.tree()["/shop/ulm"] == nil)
                #expect(try pair.ulm.trigger("Order").outcome == "unhandled")
                try pair.startUlmSite()
                try pair.waitUntilLinked()
                #expect(try pair.ulm.trigger("Order").by == "/hq:/shop")
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `only the names in 'up' leave the site`() throws {
            try SitePair.openOnBus(settings: "up: [\"Order*\"]\n") { pair in
                let shop = try pair.attachAbove(["--handle", "*"])
                #expect(try pair.ulm.trigger("OrderPlaced").by == "/hq:/shop")
                #expect(try pair.ulm.trigger("Secret").outcome == "unhandled")
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `a wrong configuration ends the program with 78, the line and the reason`()
            throws
        {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            try SitePair.write("name: ulm\nparrent: hq\n", to: directory)
            let ending = try SitePair.start(directory).end()
            #expect(ending.exitCode == 78)
            let file = directory + "/site.yaml"
            #expect(ending.diagnostics.text == "\(file):2:1: unknown setting 'parrent'\n")
        }

        @Test func `a reload with a fault changes nothing`() throws {
            try SitePair.openOnBus { pair in
                try SitePair.write("name: ulm\nfault\n", to: pair.ulm.directory)
                pair.ulmSite.signal(SIGHUP)
                let line = try pair.ulmSite.diagnostics.line(containing: "refused")
                #expect(line?.contains("site.yaml:2:") == true)
                let shop = try pair.attachAbove(["--handle", "Order"])
                #expect(try pair.ulm.trigger("Order").by == "/hq:/shop")
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `the service manager learns readiness, status, watchdog, reload and stop`()
            throws
        {
            try SitePair.openOnBus { pair in
                pair.ulmSite.signal(SIGTERM)
                #expect(try pair.ulmSite.end().exitCode == 0)
                let socket = try NotificationSocket(at: pair.ulm.directory + "/notify.sock")
                let site = try Self.startSite(
                    in: pair.ulm.directory, notifying: socket, ["WATCHDOG_USEC=500000"])
                _ = try socket.notification(containing: "READY=1")
                let status = try socket.notification(containing: "STATUS=ulm below hq: up")
                #expect(status.hasSuffix("s"))
                _ = try socket.notification(containing: "WATCHDOG=1")
                site.signal(SIGHUP)
                let reloading = try socket.notification(containing: "RELOADING=1")
                #expect(reloading.contains("MONOTONIC_USEC="))
                _ = try socket.notification(containing: "READY=1")
                site.signal(SIGTERM)
                _ = try socket.notification(containing: "STOPPING=1")
                #expect(try site.end().exitCode == 0)
                try pair.startUlmSite()
                try pair.waitUntilLinked()
            }
        }

        @Test func `a site that reloads before it is ready does not say that it is`() throws {
            try FaultBus.open { bus in
                try SitePair.write("name: ulm\nbus: \"\(bus.endpoint)\"\n", to: bus.directory)
                let socket = try NotificationSocket(at: bus.directory + "/notify.sock")
                try bus.killDaemon()
                let site = try Self.startSite(in: bus.directory, notifying: socket)
                #expect(try site.diagnostics.line(containing: "runs as process") != nil)
                site.signal(SIGHUP)
                #expect(try site.diagnostics.line(containing: "again") != nil)
                let first = try socket.notification(containing: "=")
                #expect(first.hasPrefix("STATUS="), "\(first)")
                try bus.startDaemon()
                _ = try socket.notification(containing: "READY=1")
                // A reload that replaces the bridge ends when the new one holds the root.
                try SitePair.write(
                    "name: ulm\nbus: \"\(bus.endpoint)\"\npatience: 6s\n", to: bus.directory)
                site.signal(SIGHUP)
                _ = try socket.notification(containing: "RELOADING=1")
                _ = try socket.notification(containing: "READY=1")
                let node = try bus.attach("/node", [])
                try Self.expectName("ulm", at: "/node", of: bus)
                withExtendedLifetime(node) {}
                site.signal(SIGTERM)
                #expect(try site.end().exitCode == 0)
            }
        }

        @Test func `a site without a parent to reach is ready once the first attempt has failed`()
            throws
        {
            try FaultBus.open { bus in
                try SitePair.write(
                    """
                    name: ulm
                    bus: "\(bus.endpoint)"
                    parent: {name: hq, bus: "ipc://\(bus.directory)/none.sock", mount: /shop/ulm}

                    """, to: bus.directory)
                let socket = try NotificationSocket(at: bus.directory + "/notify.sock")
                let site = try Self.startSite(in: bus.directory, notifying: socket)
                _ = try socket.notification(containing: "READY=1")
                let line = try site.diagnostics.line(containing: "no link to 'hq'")
                #expect(line?.contains("none.sock") == true)
                let node = try bus.attach("/node", ["--stdio"])
                try Self.expectName("ulm", at: "/node", of: bus)
                let link = try bus.run(["env", "get", "site.link", "--at", "/node"])
                #expect(link.exitCode == 4)
                withExtendedLifetime(node) {}
                site.signal(SIGTERM)
                #expect(try site.end().exitCode == 0)
            }
        }

        @Test func `metrics tell the state of the link`() throws {
            try SitePair.openOnBus { pair in
                let path = pair.ulm.directory + "/metrics.sock"
                let text = try String(
                    contentsOfFile: pair.ulm.directory + "/site.yaml", encoding: .utf8)
                try SitePair.write(text + "metricsSocket: \"\(path)\"\n", to: pair.ulm.directory)
                pair.ulmSite.signal(SIGHUP)
                #expect(
                    try pair.ulmSite.diagnostics.line(containing: "metricsSocket takes a restart")
                        != nil)
                pair.ulmSite.signal(SIGTERM)
                #expect(try pair.ulmSite.end().exitCode == 0)
                try pair.startUlmSite()
                try pair.waitUntilLinked()
                try Patience.until("the metrics tell the link") {
                    let reply = try RawStream(path)
                    reply.write(Array("GET /metrics HTTP/1.1\r\n\r\n".utf8))
                    let text = String(decoding: try reply.readToEnd(), as: UTF8.self)
                    return text.contains("cascade_site_link_up{site=\"hq\"} 1\n")
                }
            }
        }

        /// Starts the site of a directory as a service that notifies its manager at `socket`.
        private static func startSite(
            in directory: String, notifying socket: NotificationSocket, _ variables: [String] = []
        ) throws -> SpawnedProgram {
            let program = try SpawnedProgram.path(of: "cascade-site")
            return try SpawnedProgram(
                "/usr/bin/env",
                ["NOTIFY_SOCKET=\(socket.path)"] + variables
                    + [program, "--config", directory + "/site.yaml"], bus: "")
        }

        /// Expects that a node reads the name of its site.
        private static func expectName(
            _ name: String, at path: String, of bus: FaultBus
        ) throws {
            let value = try bus.run(["env", "get", "site.name", "--at", path])
            #expect(value.output.text.contains(name), "\(value.diagnostics.text)")
        }
    }
}

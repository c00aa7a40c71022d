// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import Foundation
import Glibc
import Testing

extension Faults {
    /// The parent hq sends whatever it wants to the site ulm, whose bus lives on.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct HostileParentTests {
        /// The site ulm, and a parent that is none.
        @FaultThread
        private struct World {
            var ulm: FaultBus
            var site: SpawnedProgram
            var gate: RawGate

            /// Waits for a line of the site, while the gate serves.
            func line(containing words: String) throws -> String {
                var line: String?
                try gate.wait(for: "a line with '\(words)'") {
                    try site.diagnostics.readWhatIsThere()
                    line = site.diagnostics.text.split(separator: "\n").map(String.init)
                        .first { $0.contains(words) }
                    return line != nil
                }
                return try #require(line)
            }
        }

        /// Runs a test while local events of ulm go on, and then expects that each of them was handled and that the
        /// site leaves without an error.
        private func open(
            settings: String = "", maxPayload: Int = 1_048_576, refusal: OpenRefusal? = nil,
            isOld: Bool = false, environment: String? = nil, _ test: (World) throws -> Void
        ) throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let server = try SiteServer(
                in: directory, SiteServer.Settings(maxPayload: maxPayload))
            let gate = try RawGate(on: server, maximum: maxPayload - LinkSettings.payloadReserve)
            gate.refusal = refusal
            gate.limits = isOld ? [] : gate.limits
            gate.environment = environment ?? gate.environment
            try FaultBus.open { ulm in
                let local = try LocalEvents(on: ulm)
                try SitePair.write(
                    """
                    name: ulm
                    bus: "\(ulm.endpoint)"
                    parent: {name: hq, server: "\(server.address)", key: "\(directory)/ulm.key", trust: none}
                    metricsSocket: "\(ulm.directory)/metrics.sock"
                    patience: 1m
                    \(settings)
                    """, to: ulm.directory)
                let site = try SitePair.start(ulm.directory)
                do {
                    try test(World(ulm: ulm, site: site, gate: gate))
                } catch {
                    site.kill()
                    print("the site of the test that failed:", try site.end().diagnostics.text)
                    throw error
                }
                // A command that times out proves that there was time for local events.
                #expect(try ulm.run(["wait", "/never", "--timeout", "300ms"]).exitCode == 75)
                local.end(floorMilliseconds: 1_500)
                site.signal(SIGTERM)
                let ending = try site.end()
                #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
            }
        }

        // MARK: - Names and values

        @Test func `publications outside the globs are left out and counted`() throws {
            try open(settings: "down: [\"Menu*\"]\n") { world in
                try world.gate.waitUntilMounted()
                let till = try world.ulm.attach(
                    "/till", ["--subscribe", "Menu", "--subscribe", "Secret"])
                try world.gate.deliver("Secret", number: 1)
                try world.gate.deliver("Menu", number: 2)
                for (number, code) in [(1, VerdictCode.passed), (2, .handled)] {
                    let verdict = try world.gate.first("verdict \(number)") {
                        $0.command == .verdict && $0.id == number
                    }
                    #expect(try Header(parsing: verdict).code == code.rawValue)
                }
                let line = try till.output.line(ofLane: "publication")
                #expect(line["name"].string == "Menu")
                #expect(!till.output.text.contains("Secret"))
                #expect(
                    try world.ulm.siteMetric(#"ignored_total{reason="leftOut"}"#) == 1)
            }
        }

        @Test func `of 100,000 values a site reads what its bus allows at one place`() throws {
            let values = (0..<100_000).map {
                #"{"key":"k\#($0)","value":1,"kind":"set","from":"/"}"#
            }
            let path = #"{"key":"site.path","value":["hq"],"kind":"set","from":"/"}"#
            let document = "{\"values\":[\(path),\(values.joined(separator: ","))]}"
            try open(maxPayload: 8_388_608, environment: document) { world in
                _ = try world.line(containing: "linked to 'hq'")
                let sites = try world.ulm.run(["sites", "--json"]).document()
                let own = sites["sites"].elements.first { $0["name"].string == "ulm" }
                let sentence = own?["notCarried"].strings?.first
                // The names and the state of the site itself have three of the 1,024 places.
                #expect(
                    sentence?.hasPrefix("98979 values of 'hq' are not read here") == true,
                    "\(sentence ?? "")")
                let node = try world.ulm.attach("/node", ["--stdio"])
                let read = try world.ulm.run(["env", "list", "--at", "/node", "--json"]).document()
                let keys = read["values"].elements.compactMap { $0["key"].string }
                #expect(keys.count { $0.hasPrefix("k") } == 1_021)
                withExtendedLifetime(node) {}
            }
        }

        // MARK: - Floods

        /// The number of publications in a flood: more with `CASCADE_MEASURE`.
        private nonisolated static let floodCount: UInt64 =
            Measuring.isOn ? 100_000 : 20_000

        @Test func `a flood of publications costs a bounded amount of memory`() throws {
            try open { world in
                try world.gate.waitUntilMounted()
                let before = try world.site.residentMegabytes
                for number in 1...Self.floodCount {
                    // A link that has ended for the flood is opened again.
                    guard try world.gate.deliver("Menu", number: number) else {
                        break
                    }
                }
                try world.gate.wait(for: "the end of the flood") {
                    try world.gate.end != nil
                        || world.ulm.trigger("Local", ["--from", "/local"]).by == "/local"
                }
                #expect(try world.site.residentMegabytes < before + 128)
                if world.gate.end != nil {
                    try world.gate.waitUntilMounted()
                }
            }
        }

        @Test func `publications of 400 MB cost a bounded amount of memory`() throws {
            try open { world in
                try world.gate.waitUntilMounted()
                let before = try world.site.residentMegabytes
                var most = 0
                for number in 1...400 as ClosedRange<UInt64> {
                    guard try world.gate.deliver("Menu", number: number, byteCount: 1_000_000)
                    else {
                        break
                    }
                    if number.isMultiple(of: 50) {
                        most = max(most, try world.site.residentMegabytes)
                    }
                }
                #expect(most < before + 256)
                #expect(world.gate.end == nil)
            }
        }

        // MARK: - Frames

        @Test func `frames that are no messages of a daemon end the link, which is opened again`()
            throws
        {
            try open { world in
                let frames = [
                    [UInt8](repeating: 0xFF, count: 60), [1, 2, 3],
                    // These are a worker's.
                    Header(.trigger, sequence: 1).encoded(), Header(.hello).encoded(),
                    // A delivery to a node that has no number.
                    Header(.delivery, name: 99, id: 1, sequence: 1).encoded(),
                ]
                for frame in frames {
                    try world.gate.waitUntilMounted()
                    try world.gate.send(frame)
                    try world.gate.wait(for: "the end of the link") { world.gate.end != nil }
                    #expect(
                        world.gate.end?.description.hasPrefix("the other side closed the link: ")
                            == true)
                }
                try world.gate.waitUntilMounted()
            }
        }

        // MARK: - Releases

        @Test func `a gate of another version is refused by name`() throws {
            let refusal = OpenRefusal(
                code: .versionMismatch,
                message: "the site requests 'site/1', and the gate implements 'site/2'")
            try open(refusal: refusal) { world in
                let line = try world.line(containing: "cannot stand below 'hq'")
                #expect(line.contains("versionMismatch"), "\(line)")
                #expect(line.contains("'site/1'") && line.contains("'site/2'"), "\(line)")
            }
        }

        @Test func `a parent's daemon that knows no sites is refused by name`() throws {
            try open(isOld: true) { world in
                let line = try world.line(containing: "cannot stand below 'hq'")
                #expect(line.contains("versionMismatch: the parent's bus 'hq'"), "\(line)")
                #expect(line.contains("a daemon of release raw"), "\(line)")
                #expect(try world.ulm.trigger("Order").outcome == "unhandled")
            }
        }
    }
}

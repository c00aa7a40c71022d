// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The buses of two sites, hq and ulm, and their `cascade-site`s: ulm stands below hq, at `/shop/ulm`.
@FaultThread
final class SitePair {
    /// How ulm reaches hq.
    enum Way {
        /// By a connection to hq's bus.
        case bus
        /// By a link over a NATS server.
        case server(SiteServer)
    }

    /// Whether `cascade-site` was built beside the tests.
    nonisolated static var isBuilt: Bool {
        (try? SpawnedProgram.path(of: "cascade-site")).map { access($0, X_OK) == 0 } ?? false
    }

    /// The rules with which hq's bus admits children.
    private static func policy(
        of children: [String], below places: [String] = ["/shop"]
    ) -> String {
        places.flatMap { place in
            children.map {
                "allow attach, subscribe, trigger, inspect, uplink \(place)/\($0) to key \($0)\n"
            }
        }.joined()
    }

    let hq: FaultBus
    let ulm: FaultBus
    let way: Way
    private let settings: String
    private(set) var hqSite: SpawnedProgram
    private(set) var ulmSite: SpawnedProgram

    // MARK: - Opening

    /// Joins two buses by a connection, runs a test, and then expects that both sites leave without an error.
    static func openOnBus(
        ulmOptions: [String] = [], settings: String = "", _ test: (SitePair) throws -> Void
    ) throws {
        try FaultBus.open { hq in
            try FaultBus.open(ulmOptions) { ulm in
                try SitePair(hq, ulm, .bus, settings).run(test)
            }
        }
    }

    /// Joins two buses over a NATS server, runs a test while local events of ulm go on, and then expects that
    /// each of them was handled in time and that both sites leave without an error.
    ///
    /// - Parameters:
    ///   - settings: Lines of ulm's configuration.
    ///   - network: The network between the sites; `nil` for that of this machine.
    ///   - hasLocalEvents: Whether there are local events; not if ulm's daemon itself is killed.
    static func openOnServer(
        hqOptions: [String] = [], ulmOptions: [String] = [], settings: String = "",
        server: SiteServer.Settings = SiteServer.Settings(), network: SiteNetwork? = nil,
        hasLocalEvents: Bool = true, _ test: (SitePair, SiteServer) throws -> Void
    ) throws {
        let directory = try FaultBus.makeDirectory()
        defer { FaultBus.removeDirectory(directory) }
        let policy = directory + "/hq.policy"
        try Data(Self.policy(of: ["ulm", "bonn"]).utf8).write(to: URL(filePath: policy))
        var serverSettings = server
        if let network {
            serverSettings.host = SiteNetwork.End.hq.host
            serverSettings.wrapper = network.wrapper(.hq)
        }
        let server = try SiteServer(in: directory, serverSettings)
        try FaultBus.open(["--policy", policy] + hqOptions) { hq in
            try FaultBus.open(ulmOptions) { ulm in
                let pair = try SitePair(
                    hq, ulm, .server(server), settings, in: directory, network)
                try pair.run { pair in
                    let local = hasLocalEvents ? try LocalEvents(on: ulm) : nil
                    try test(pair, server)
                    local?.end()
                }
            }
        }
    }

    private init(
        _ hq: FaultBus, _ ulm: FaultBus, _ way: Way, _ settings: String,
        in directory: String? = nil, _ network: SiteNetwork? = nil
    ) throws {
        self.hq = hq
        self.ulm = ulm
        self.way = way
        self.settings = settings
        self.directory = directory ?? ulm.directory
        self.network = network
        try Self.write(Self.hqConfiguration(hq, way, self.directory), to: hq.directory)
        try Self.write(
            Self.ulmConfiguration(ulm, hq, way, self.directory) + settings, to: ulm.directory)
        hqSite = try Self.start(hq.directory, within: network?.wrapper(.hq) ?? [])
        ulmSite = try Self.start(ulm.directory, within: network?.wrapper(.ulm) ?? [])
        try waitUntilLinked()
    }

    /// The folder of the keys.
    let directory: String
    private let network: SiteNetwork?

    private func run(_ test: (SitePair) throws -> Void) throws {
        do {
            try test(self)
        } catch {
            for (name, site) in [("hq", hqSite), ("ulm", ulmSite)] {
                site.kill()
                print("the site \(name) of the test that failed:", try site.end().diagnostics.text)
            }
            throw error
        }
        for site in [ulmSite, hqSite] {
            site.signal(SIGTERM)
            let ending = try site.end()
            #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
        }
    }

    // MARK: - Configurations

    static func write(_ configuration: String, to directory: String) throws {
        try Data(configuration.utf8).write(to: URL(filePath: directory + "/site.yaml"))
    }

    private static func hqConfiguration(
        _ hq: FaultBus, _ way: Way, _ directory: String,
        children: String = "{ulm: /shop/ulm, bonn: /shop/bonn}"
    ) -> String {
        let head = "name: hq\nbus: \"\(hq.endpoint)\"\n"
        guard case .server(let server) = way else {
            return head
        }
        return head + """
            server: {address: "\(server.address)", key: "\(directory)/hq.key", trust: none}
            children: \(children)
            metricsSocket: "\(hq.directory)/metrics.sock"

            """
    }

    private static func ulmConfiguration(
        _ ulm: FaultBus, _ hq: FaultBus, _ way: Way, _ directory: String
    ) -> String {
        let head = "name: ulm\nbus: \"\(ulm.endpoint)\"\n"
        switch way {
        case .bus:
            return head
                + "parent: {name: hq, bus: \"\(hq.endpoint)\", mount: /shop/ulm}\n"
        case .server(let server):
            return head + """
                parent: {name: hq, server: "\(server.addressBelow)", key: "\(directory)/ulm.key", trust: none}
                metricsSocket: "\(ulm.directory)/metrics.sock"

                """
        }
    }

    /// Replaces the children of hq, and has its site read that.
    func setChildren(_ children: String) throws {
        let text = Self.hqConfiguration(hq, way, directory, children: children)
        try Self.write(text, to: hq.directory)
        hqSite.signal(SIGHUP)
        try #require(try hqSite.diagnostics.line(containing: "again") != nil)
    }

    /// Has hq's bus admit these children alone, below these places.
    func setPolicy(ofChildren children: [String], below places: [String] = ["/shop"]) throws {
        try setPolicy(Self.policy(of: children, below: places))
    }

    /// Has hq's bus apply a policy for its children.
    func setPolicy(_ policy: String) throws {
        try Data(policy.utf8).write(to: URL(filePath: directory + "/hq.policy"))
        hq.daemon.signal(SIGHUP)
        try #require(try hq.daemon.diagnostics.line(containing: "policy loaded") != nil)
    }

    // MARK: - Processes

    static func start(
        _ directory: String, within wrapper: [String] = []
    ) throws -> SpawnedProgram {
        let program = try SpawnedProgram.path(of: "cascade-site")
        let command = wrapper + [program, "--config", directory + "/site.yaml"]
        return try SpawnedProgram(command[0], Array(command.dropFirst()), bus: "")
    }

    func waitUntilLinked() throws {
        let line = try ulmSite.diagnostics.line(containing: "linked to 'hq'")
        try #require(line != nil, "\(ulmSite.diagnostics.text)")
    }

    func waitUntilCut() throws {
        let line = try ulmSite.diagnostics.line(containing: "cut off from 'hq'")
        try #require(line != nil, "\(ulmSite.diagnostics.text)")
    }

    func killUlmSite() throws {
        ulmSite.kill()
        #expect(try ulmSite.end().exitCode == nil)
    }

    func startUlmSite() throws {
        ulmSite = try Self.start(ulm.directory, within: network?.wrapper(.ulm) ?? [])
    }

    /// Kills the site of ulm and starts it anew, until it is linked.
    func killAndLinkUlmAgain() throws {
        try killUlmSite()
        try startUlmSite()
        try waitUntilLinked()
    }

    func killHqSite() throws {
        hqSite.kill()
        #expect(try hqSite.end().exitCode == nil)
    }

    func startHqSite() throws {
        hqSite = try Self.start(hq.directory, within: network?.wrapper(.hq) ?? [])
    }

    /// Attaches a responder above the mount, and waits until the site knows of it.
    func attachAbove(_ arguments: [String]) throws -> SpawnedProgram {
        let node = try hq.attach("/shop", arguments)
        let name = arguments[1] == "*" ? "OrderPlaced" : arguments[1]
        let lane = arguments[0] == "--respond" ? "request" : "event"
        try Patience.until("'ulm' knows that '\(name)' is responded to above") {
            try ulm.run(["route", name, "--lane", lane]).exitCode == 0
        }
        return node
    }

    /// Waits until hq knows that ulm has a subscriber.
    func waitUntilSubscribed(_ name: String) throws {
        try Patience.until("'ulm' is a recipient of '\(name)'") {
            let shown = try hq.run(["subscribers", name, "--at", "/shop", "--json"])
            return try shown.document()["all"].strings?.contains("/shop/ulm") ?? false
        }
    }

    /// Lets time pass: a command that times out proves that it has.
    func pass(_ duration: String) throws {
        let impatient = try ulm.run(["wait", "/never", "--timeout", duration])
        #expect(impatient.exitCode == 75, "\(impatient.diagnostics.text)")
    }
}

extension SpawnedProgram {
    /// Waits for the next visit of a node with `--stdio`, and returns its line.
    @FaultThread
    func visit() throws -> JSONText {
        try output.line(ofLane: "event")
    }

    /// Answers a visit.
    @FaultThread
    func handle(_ visit: JSONText) {
        write(line: #"{"id":"\#(visit["id"].string ?? "")","verdict":"handled"}"#)
    }
}

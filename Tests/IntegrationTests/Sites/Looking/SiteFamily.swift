// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Three buses of one realm, on ipc: root, hq at `/hq` of root, and ulm at `/shop/ulm` of hq.
@FaultThread
final class SiteFamily {
    let root: FaultBus
    let hq: FaultBus
    let ulm: FaultBus
    private(set) var sites: [String: SpawnedProgram] = [:]

    /// Whether the program of sites was built.
    nonisolated static var isBuilt: Bool {
        (try? SpawnedProgram.path(of: "cascade-site")).map {
            FileManager.default.isExecutableFile(atPath: $0)
        } ?? false
    }

    /// Runs a test with the three sites, linked to each other.
    static func open(_ test: (SiteFamily) throws -> Void) throws {
        try FaultBus.open { root in
            try FaultBus.open { hq in
                let shop = try hq.attach("/shop", ["--handle", "Paid"])
                try FaultBus.open { ulm in
                    let family = try SiteFamily(root: root, hq: hq, ulm: ulm)
                    try test(family)
                    try family.stop()
                }
                withExtendedLifetime(shop) {}
            }
        }
    }

    private init(root: FaultBus, hq: FaultBus, ulm: FaultBus) throws {
        self.root = root
        self.hq = hq
        self.ulm = ulm
        try start("root", root)
        try start("hq", hq, below: ("root", root, "/hq"))
        try start("ulm", ulm, below: ("hq", hq, "/shop/ulm"))
    }

    /// Starts the program of a site, and waits until it holds the root of its bus and is linked.
    func start(
        _ name: String, _ bus: FaultBus,
        below parent: (name: String, bus: FaultBus, mount: String)? = nil
    ) throws {
        let file = bus.directory + "/site.yaml"
        var text = "name: \(name)\nbus: \(bus.endpoint)\n"
        if let parent {
            text +=
                "parent:\n  name: \(parent.name)\n  bus: \(parent.bus.endpoint)\n"
                + "  mount: \(parent.mount)\n"
        }
        try Data(text.utf8).write(to: URL(filePath: file))
        let site = try SpawnedProgram("cascade-site", ["--config", file], bus: "")
        sites[name] = site
        let told =
            parent == nil
            ? try Self.holdsRoot(of: bus)
            : try site.diagnostics.line(containing: "linked to") != nil
        try #require(told, "\(site.diagnostics.text)")
    }

    private static func holdsRoot(of bus: FaultBus) throws -> Bool {
        let watch = try bus.start(["tree", "--depth", "0", "--watch"])
        return try watch.output.line(containing: "cascade.Inspect") != nil
    }

    private func stop() throws {
        for name in ["ulm", "hq", "root"] {
            sites[name]?.signal(SIGCONT)
            sites[name]?.signal(SIGTERM)
            _ = try sites[name]?.end()
        }
    }
}

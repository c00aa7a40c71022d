// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// One more child of hq, beside ulm: a bus and its `cascade-site`.
@FaultThread
final class SiteChild {
    let name: String
    let bus: FaultBus
    private(set) var site: SpawnedProgram

    /// Starts a child, and waits until it is linked.
    ///
    /// - Parameter key: The child of ``SiteServer`` with whose key it dials; by default its own.
    convenience init(
        _ name: String, of pair: SitePair, over server: SiteServer, key: String? = nil,
        network: SiteNetwork? = nil
    ) throws {
        try self.init(
            name, over: server, key: "\(pair.directory)/\(key ?? name).key",
            within: network?.wrapper(.hq) ?? [])
        try waitUntilLinked()
    }

    /// Starts a child.
    init(
        _ name: String, over server: SiteServer, key: String, within wrapper: [String] = []
    ) throws {
        self.name = name
        bus = try FaultBus(directory: try FaultBus.makeDirectory(), [])
        try SitePair.write(
            """
            name: \(name)
            bus: "\(bus.endpoint)"
            parent: {name: hq, server: "\(server.addressBelow)", key: "\(key)", trust: none}

            """, to: bus.directory)
        site = try SitePair.start(bus.directory, within: wrapper)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: bus.directory)
    }

    func waitUntilLinked() throws {
        let line = try site.diagnostics.line(containing: "linked to 'hq'")
        try #require(line != nil, "\(site.diagnostics.text)")
    }

    /// Ends both processes, which must leave without an error.
    func stop() throws {
        for process in [site, bus.daemon] {
            process.signal(SIGTERM)
            let ending = try process.end()
            #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
        }
    }
}

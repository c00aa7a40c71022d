// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSite
import CascadeWire
import Glibc

/// The parts of a site, made from its configuration.
extension SiteConfiguration {
    /// Creates the bridge, whose connection to the site's own bus begins to open. Throws an error for a person.
    func bridge(_ identity: SiteIdentity) throws -> BridgeDriver {
        var generator = SystemRandomNumberGenerator()
        var bridge = BridgeConfiguration(
            name: name, parent: parent?.name,
            homeSecret: SessionSecret(using: &generator),
            aboveSecret: SessionSecret(using: &generator), program: Release.name,
            processID: UInt32(getpid()))
        bridge.patience = patience
        bridge.up = up
        bridge.down = down
        bridge.environment = environment
        bridge.preferences = preferences
        bridge.inspect = inspection
        bridge.host = identity.host
        return BridgeDriver(
            Bridge(bridge, seed: generator.next()),
            home: try BusConnections.connection(to: bus, keys: BusKeys.standard(for: bus)),
            above: try parent.map { try link(to: $0, identity) })
    }

    /// Creates the way to the parent, on which nothing is dialled yet. Throws an error for a person.
    func link(to parent: SiteParent, _ identity: SiteIdentity) throws -> any UpperLink {
        switch parent.way {
        case .server(let access):
            return try ServerLink(
                name, below: parent.name, in: realm, over: access,
                identity: ServerLink.Identity(
                    instance: identity.instance, host: identity.host, program: Release.name),
                patience: patience)
        case .bus(let endpoint, let mount, let key, let trust):
            return BusLink(to: endpoint, mount: mount) {
                guard let trust else {
                    return nil
                }
                // Read for each attempt, so that a new key needs no restart.
                return try BusKeys(
                    serverKey: trust, file: SiteSecret.bus.path(configured: key))
            }
        }
    }

    /// Creates the gate; `nil` if the site has no server. Throws an error for a person.
    func gate() throws -> GateDriver? {
        guard let server else {
            return nil
        }
        guard bus.hasPrefix("ipc://") else {
            throw SiteError(
                "a site with a server needs its own bus on a unix socket, not at \(bus)")
        }
        return try GateDriver(
            gateConfiguration(), realm: realm, over: server.access,
            busPath: String(bus.dropFirst("ipc://".count)))
    }

    func gateConfiguration() throws(GateConfigurationError) -> GateConfiguration {
        try GateConfiguration(
            name: name, bus: name.description, children: children, patience: patience)
    }

    // MARK: - Reloads

    /// Whether the bridge of this configuration serves another one.
    func hasSameBridge(as other: SiteConfiguration) -> Bool {
        name == other.name && realm == other.realm && bus == other.bus && parent == other.parent
            && patience == other.patience && up == other.up && down == other.down
            && environment == other.environment && preferences == other.preferences
            && inspection == other.inspection
    }

    /// Whether the gate of this configuration serves another one, once it knows the other children.
    func hasSameGate(as other: SiteConfiguration) -> Bool {
        name == other.name && realm == other.realm && bus == other.bus
            && server?.access == other.server?.access && patience == other.patience
    }
}

/// Why a site cannot run, as a sentence for a person.
struct SiteError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

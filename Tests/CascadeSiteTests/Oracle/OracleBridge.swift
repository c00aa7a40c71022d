// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJSON
import CascadeSession
import CascadeSite
import CascadeTestSupport
import CascadeWire

/// A bridge, and its connections.
final class OracleBridge {
    private var bridge: Bridge
    var homePeer = PeerID(index: 0, generation: 0)
    var abovePeer: PeerID?

    init(
        _ tree: OracleTree, _ site: Int, below parent: Int?, number: UInt64 = 0,
        _ configure: (inout BridgeConfiguration) -> Void
    ) {
        var generator = SeededGenerator(seed: 1_000 + UInt64(site) + number * 100)
        let site = tree.sites[site]
        var configuration = BridgeConfiguration(
            name: site.name, parent: parent.map { tree.sites[$0].name },
            homeSecret: SessionSecret(using: &generator),
            aboveSecret: SessionSecret(using: &generator), program: "cascade-site test",
            processID: 1)
        configure(&configuration)
        bridge = Bridge(configuration, seed: 1)
    }

    var state: BridgeState {
        bridge.state
    }

    /// Whether a bus has not confirmed yet that the bridge has left.
    var isLeaving: Bool {
        bridge.isLeaving
    }

    /// What the bridge tells of the sites around.
    func sites(at now: Duration) -> JSONValue {
        bridge.sitesDocument(at: now)
    }

    // MARK: - Inputs

    func childrenChanged(_ reports: [ChildReport], at now: Duration) -> [BridgeEffect] {
        effects { $0.childrenChanged(reports, at: now, into: &$1) }
    }

    func start(at now: Duration) -> [BridgeEffect] {
        effects { $0.homeConnected(at: now, into: &$1) }
    }

    func lostHome(at now: Duration) -> [BridgeEffect] {
        effects { $0.homeDisconnected(at: now, into: &$1) }
    }

    func opened(_ terms: LinkTerms, at now: Duration) -> [BridgeEffect] {
        effects { $0.linkOpened(terms, at: now, into: &$1) }
    }

    func lostLink(at now: Duration) -> [BridgeEffect] {
        effects { $0.linkEnded("cut", at: now, into: &$1) }
    }

    func receivedHome(_ message: [UInt8], at now: Duration) -> [BridgeEffect] {
        effects { $0.homeReceived(message, at: now, into: &$1) }
    }

    func receivedAbove(_ message: [UInt8], at now: Duration) -> [BridgeEffect] {
        effects { $0.linkReceived(message[...], at: now, into: &$1) }
    }

    func receivedPart(_ part: [UInt8], of byteCount: Int, at now: Duration) -> [BridgeEffect] {
        effects { $0.linkReceivedPart(part, of: byteCount, at: now, into: &$1) }
    }

    func timePassed(at now: Duration) -> [BridgeEffect] {
        guard let deadline = bridge.deadline, deadline <= now else {
            return []
        }
        return effects { $0.timePassed(at: now, into: &$1) }
    }

    func leave(at now: Duration) -> [BridgeEffect] {
        effects { $0.leave(at: now, into: &$1) }
    }

    private func effects(_ input: (inout Bridge, inout [BridgeEffect]) -> Void) -> [BridgeEffect] {
        var effects: [BridgeEffect] = []
        input(&bridge, &effects)
        return effects
    }
}

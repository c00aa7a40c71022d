// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeSite
import CascadeTestSupport
import CascadeWire

/// The process `cascade-site` of one site: its bridge, its end of the link, and its gate.
final class SiteProgram {
    let site: Int
    /// Whether it has been killed.
    var isKilled = false
    private var bridge: Bridge
    /// The connection to the site's own bus.
    var home: PeerID?
    /// When it opens that connection again.
    var connectsHomeAt: Int?
    var link: ChildLink?
    /// The frames for which the link has no room.
    var held: [[UInt8]] = []
    var gate: Gate?
    /// The connections to the bus that belong to links of the gate.
    var connections: [LinkKey: PeerID] = [:]
    /// The frames of the bus for which links have no room.
    var heldByBus: [LinkKey: [[UInt8]]] = [:]

    /// - Parameter number: A number that differs between the processes of all sites.
    init(
        _ site: Int, _ name: SiteName, parent: SiteName?, children: [SiteName: NodePath],
        number: UInt64
    ) throws {
        self.site = site
        var generator = SeededGenerator(seed: 1_000_000 + number)
        bridge = Bridge(
            BridgeConfiguration(
                name: name, parent: parent, homeSecret: SessionSecret(using: &generator),
                aboveSecret: SessionSecret(using: &generator), program: "cascade-site test",
                processID: 1),
            seed: number)
        if !children.isEmpty {
            gate = Gate(
                try GateConfiguration(name: name, bus: name.description, children: children))
        }
    }

    var state: BridgeState {
        bridge.state
    }

    /// The number of messages that are under way above.
    var underWayCount: Int {
        bridge.crossingCount.underWay
    }

    /// When the process has to act.
    var deadline: Duration? {
        [bridge.deadline, link?.deadline, gate?.deadline].compactMap(\.self).min()
    }

    /// The messages of the transport that had no effect.
    var ignoredCount: UInt64 {
        let counters = gate?.counters ?? GateCounters()
        return (link?.ignoredCount ?? 0) + counters.unknownLinks + counters.staleOpenings
    }

    // MARK: - The machines

    func actOnBridge(
        _ change: (inout Bridge, inout [BridgeEffect]) -> Void
    ) -> [BridgeEffect] {
        var effects: [BridgeEffect] = []
        change(&bridge, &effects)
        return effects
    }

    func actOnLink(
        _ change: (inout ChildLink, inout [ChildLinkEffect]) -> Void
    ) -> [ChildLinkEffect] {
        var effects: [ChildLinkEffect] = []
        if link != nil {
            change(&link!, &effects)
        }
        return effects
    }

    func actOnGate(_ change: (inout Gate, inout [GateEffect]) -> Void) -> [GateEffect] {
        var effects: [GateEffect] = []
        if gate != nil {
            change(&gate!, &effects)
        }
        return effects
    }

    /// Sends a frame on the link, or holds it until there is room.
    func sendAbove(_ frame: [UInt8]) {
        if !held.isEmpty || link?.send(frame) != .accepted {
            held.append(frame)
            bridge.linkIsFull()
        }
    }

    /// Sends what the link has had no room for. Returns whether all of it has gone.
    func sendHeld() -> Bool {
        while let frame = held.first, link?.send(frame) == .accepted {
            held.removeFirst()
        }
        return held.isEmpty
    }

    /// Gives a frame of the bus to the link of a child, or holds it until there is room.
    func sendDown(_ frame: [UInt8], on key: LinkKey) {
        let isHolding = heldByBus[key]?.isEmpty == false
        if isHolding || gate?.send(frame, on: key) == .full {
            heldByBus[key, default: []].append(frame)
        }
    }

    func sendHeldByBus(on key: LinkKey) {
        while let frame = heldByBus[key]?.first, gate?.send(frame, on: key) != .full {
            heldByBus[key]?.removeFirst()
        }
    }
}

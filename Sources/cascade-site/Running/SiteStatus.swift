// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire

/// The state of a site for the status line and the metrics.
struct SiteStatus: Equatable, Sendable {
    var name: SiteName
    var parent: SiteName?
    var state = BridgeState.alone
    var isRootHeld = false
    var roundTrip: Duration?
    var underWayCount = 0
    var waitingCount = 0
    var outcomes = CrossingOutcomes()
    var children: [ChildReport] = []
    /// Whether the gate is connected to its server; `nil` without a gate.
    var isGateConnected: Bool?
    var uplinkTraffic = LinkTraffic()
    var gateTraffic = LinkTraffic()
    var gateCounters = GateCounters()
    var totals = SiteTotals()

    init(name: SiteName, parent: SiteName?) {
        self.name = name
        self.parent = parent
    }

    /// One line for people: `ulm below hq: up, 12 ms; 3 sites below`.
    var line: String {
        var parts = [place]
        if !isRootHeld {
            parts.append("the bus is unreachable, or does not allow cascade-site to hold /")
        }
        if !children.isEmpty {
            parts.append(below)
        }
        return parts.joined(separator: "; ")
    }

    private var place: String {
        guard let parent else {
            return "\(name): the root site"
        }
        let head = "\(name) below \(parent): "
        switch state {
        case .up: return head + "up" + (roundTrip.map { ", \(Self.milliseconds($0))" } ?? "")
        case .refused(let reason): return head + "refused: \(reason)"
        case .alone, .dialling: return head + "dialling"
        case .mounting: return head + "linked, not mounted yet"
        case .waiting: return head + "link lost, waiting"
        case .cut: return head + "cut"
        }
    }

    private var below: String {
        let upCount = children.count { $0.state == .up }
        let word = children.count == 1 ? "site" : "sites"
        let count =
            upCount == children.count
            ? "\(upCount) \(word) below" : "\(upCount) of \(children.count) \(word) below"
        return count + (isGateConnected == false ? ", the NATS server is unreachable" : "")
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let microseconds = duration.wholeMicroseconds
        return microseconds < 1_000 ? "\(microseconds) µs" : "\(microseconds / 1_000) ms"
    }
}

/// What a site has counted since it started.
struct SiteTotals: Equatable, Sendable {
    /// The ended links, by the kind of their end.
    var linkEnds: [String: UInt64] = [:]
    var lateOutcomeCount: UInt64 = 0
    var refusedChangeCount: UInt64 = 0
    /// Publications whose names the configuration does not let down.
    var leftOutCount: UInt64 = 0

    mutating func ended(_ kind: String) {
        linkEnds[kind, default: 0] += 1
    }

    /// The kind of the end of a link of a child.
    static func kind(of end: LinkEnd) -> String {
        switch end {
        case .silent: "silent"
        case .closedByPeer: "closedByPeer"
        case .closed: "closed"
        case .fault: "fault"
        case .unanswered: "unanswered"
        case .noGate: "noGate"
        }
    }
}

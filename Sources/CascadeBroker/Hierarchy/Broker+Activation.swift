// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Activation of nodes, and the order in which they were activated, which `last` follows, before and
/// after a restart.
///
/// A daemon that restarts learns its ranks from its predecessor's handover, and from the sessions
/// that resume, each of which knows the ranks of its nodes.
extension Broker {
    mutating func activate(_ activate: Activate, by peer: PeerID) throws(WireError) {
        let node = hierarchy.find(activate.path)
        let holder = node.flatMap { hierarchy[$0].holder }
        if holder != peer {
            try check(.administer, activate.path, by: peer)
        }
        guard !activate.path.isRoot else {
            throw WireError(
                .rootReserved, "the root / is the bus itself and is always active")
        }
        guard let node, holder != nil else {
            throw WireError(.noSuchNode, "there is no node at '\(activate.path)'")
        }
        let wasActive = hierarchy.isActiveItself(node)
        hierarchy[node].activate(activate.isActive)
        if activate.isActive {
            makeMostRecent(node)
        }
        sendActivation(of: node)
        hierarchy.advanceVersion()
        hierarchy.recordTreeChange(of: node, wasActive: wasActive)
        reportActivity(of: node)
        done(activate.request, peer)
        // Responders work either way; only a publication may have gained a subscriber.
        retryParked([])
        sendRetained(below: [node])
    }

    mutating func reportActivity(of node: NodeIndex) {
        recordMonitorEvent(
            MonitorEvent(
                hierarchy[node].isActive ? .activated : .deactivated,
                path: hierarchy.path(of: node)))
    }

    /// Reports a changed declaration of a node to monitors. The broker does not keep the report for later
    /// ones: nodes change their declarations often, and a later query sees the present ones.
    mutating func reportDeclaration(of node: NodeIndex) {
        if !observers.monitors.isEmpty {
            var monitorEvent = MonitorEvent(.declared, path: hierarchy.path(of: node))
            monitorEvent.when = now
            reportToMonitors(monitorEvent)
        }
    }

    // MARK: - Ranks

    mutating func makeMostRecent(_ node: NodeIndex) {
        let rank = hierarchy.nextRank()
        hierarchy[node].rank(rank)
    }

    /// The node has just been declared. It is the most recent one, unless the same session brings
    /// its rank along, or the daemon before has left it.
    mutating func setActivation(
        of node: NodeIndex, _ brought: Activation?, by peer: PeerID
    ) {
        let former = takeFormer(of: node, by: peer)
        guard let known = Self.later(brought, former) else {
            makeMostRecent(node)
            return
        }
        let rank = hierarchy.admit(rank: known.rank)
        hierarchy[node].rank(rank)
        hierarchy[node].activate(known.isActive)
    }

    /// Returns the later of the session's activation and the previous daemon's. If both have the
    /// same rank, the session's state is the more recent.
    private static func later(_ brought: Activation?, _ former: Activation?) -> Activation? {
        guard let brought, let former else {
            return brought ?? former
        }
        return former.rank > brought.rank ? former : brought
    }

    /// Returns and removes the previous daemon's activation of a place for the session that held
    /// it.
    private mutating func takeFormer(of node: NodeIndex, by peer: PeerID) -> Activation? {
        guard let former = hierarchy.formerHolder(of: node) else {
            return nil
        }
        hierarchy.forgetFormerHolder(of: node)
        let session = sessions.identity(peers[peer].session)
        // A daemon of release 0.1.0 did not look at secrets.
        let isUpgraded =
            session.id == former.session.id && !former.session.isProven
            && sessions.formerOwners[former.session] == peers[peer].credentials.owner
        guard former.session == session || isUpgraded else {
            return nil
        }
        let isAsDeclared = hierarchy[node].isActive == former.isDeclaredActive
        return Activation(
            rank: former.rank, isActive: isAsDeclared ? former.isActive : hierarchy[node].isActive)
    }

    func activation(of node: NodeIndex) -> Activation {
        Activation(rank: hierarchy[node].rank, isActive: hierarchy[node].isActive)
    }

    /// Sends a node's activation to its session, which presents it when it resumes.
    mutating func sendActivation(of node: NodeIndex) {
        if let holder = hierarchy[node].holder {
            send(
                Define([
                    .node(number: node.number, hierarchy.path(of: node), activation(of: node))
                ]), to: holder)
        }
    }
}

/// Gives nodes their ranks in the order in which they are activated.
struct ActivationRanks: Sendable {
    /// Where ranks begin under this daemon.
    private let first: UInt64
    /// The rank of the node that was activated last.
    private(set) var last: UInt64

    /// How far above the first rank a rank brought by a session may be, in microseconds: 1.1 years,
    /// enough for any rank given on this machine before it was rebooted. A forged rank cannot use
    /// up the ranks.
    private static let leap: UInt64 = 1 << 45

    /// Ranks begin at the microseconds of the clock that drives the broker. It has run since the
    /// machine was started, so previous daemons gave lower ranks.
    init(at now: Instant) {
        first = now.nanoseconds / 1_000
        last = first
    }

    /// The rank of a node that is activated now.
    mutating func next() -> UInt64 {
        last += 1
        return last
    }

    /// Returns the rank for a node that had `rank` before. A rank from the future, which only a
    /// wall clock set back can explain, is replaced by the present one: the node gains no more than
    /// by an activation now, and later activations are more recent.
    mutating func admit(_ rank: UInt64) -> UInt64 {
        last = max(last, min(rank, first + Self.leap))
        return min(rank, last)
    }

    /// Continues after the last rank of the previous daemon.
    mutating func advance(beyond rank: UInt64) {
        last = max(last, min(rank, 1 << 62))
    }
}

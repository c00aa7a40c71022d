// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The order in which nodes were activated: `last` goes by it, before and after a restart.
///
/// A daemon that restarts has its ranks from its predecessor, where a handover says them, and from
/// the sessions that come back, each of which has been told its own.
extension Broker {
    mutating func makeMostRecent(_ node: NodeIndex) {
        let rank = hierarchy.ranks.next()
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
        let rank = hierarchy.ranks.admit(known.rank)
        hierarchy[node].rank(rank)
        hierarchy[node].activate(known.isActive)
    }

    /// Of what the session and the daemon before say, the later counts. The session heard the last
    /// word where both say the same rank.
    private static func later(_ brought: Activation?, _ former: Activation?) -> Activation? {
        guard let brought, let former else {
            return brought ?? former
        }
        return former.rank > brought.rank ? former : brought
    }

    /// What the daemon before has left of the place, for the session that held it.
    private mutating func takeFormer(of node: NodeIndex, by peer: PeerID) -> Activation? {
        guard let former = hierarchy[node].former else {
            return nil
        }
        hierarchy[node].forgetFormer()
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

    /// Tells the node's session, which brings it along when it comes back.
    mutating func sayActivation(of node: NodeIndex) {
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

    /// How far ahead of the first rank one may be that a session brings: 1.1 years, should it have
    /// got it on this machine before that was started anew. What a peer makes up cannot use up the
    /// ranks.
    private static let leap: UInt64 = 1 << 45

    /// Ranks begin at the microseconds of the clock that drives the broker. It has run since the
    /// machine was started, so former daemons have given lower ranks.
    init(at now: Instant) {
        first = now.nanoseconds / 1_000
        last = first
    }

    /// The rank of a node that is activated now.
    mutating func next() -> UInt64 {
        last += 1
        return last
    }

    /// The rank that a node gets which had this one before. A rank from the future, which only a
    /// wall clock that was set back can explain, counts as given now: nothing is gained by it that
    /// an activation would not give, and the activations after it are more recent.
    mutating func admit(_ rank: UInt64) -> UInt64 {
        last = max(last, min(rank, first + Self.leap))
        return min(rank, last)
    }

    /// Goes on behind the last rank that the daemon before has given.
    mutating func goOn(behind rank: UInt64) {
        last = max(last, min(rank, 1 << 62))
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The shares of users in the tables that all of them use (``SharedTable``).
extension Broker {
    func share(of account: AccountIndex, in table: SharedTable) -> Share {
        var share = accounts.share(of: account, in: table, limit: limit(of: table))
        share.isBoundByDisk = share.limit < table.limit(in: configuration.limits)
        return share
    }

    /// Returns the limit of a table for all users together. Durable events are also limited by the
    /// size of the disk, so that each user has a share of it.
    private func limit(of table: SharedTable) -> UInt32 {
        let limit = table.limit(in: configuration.limits)
        guard table == .durableBytes else {
            return limit
        }
        return min(limit, UInt32(clamping: traffic.durable.diskByteCount / Self.diskPart))
    }

    /// The part of the disk that the records of durable events may take. The file may have twice
    /// their size before they are copied into a new one; a quarter of a small disk is the reserve;
    /// and frames, outcomes and the rest of a file have their room.
    private static let diskPart: UInt64 = 6

    // MARK: - Places

    /// Returns the place at `path`. A missing place is created and charged to the account.
    mutating func findOrMake(_ path: NodePath, for account: AccountIndex) -> NodeIndex {
        var walk = PathWalk(from: Hierarchy.root)
        return findOrMake(path, for: account, along: &walk)
    }

    /// The same for one path after another.
    mutating func findOrMake(
        _ path: NodePath, for account: AccountIndex, along walk: inout PathWalk<NodeIndex>
    ) -> NodeIndex {
        let count = hierarchy.count
        let node = hierarchy.findOrMake(path, at: now, payer: account, along: &walk)
        accounts.charge(hierarchy.count - count, .nodes, to: account)
        return node
    }

    /// How many places more the account would have with nodes at these paths.
    func countOfPlaces(_ survey: Hierarchy.Survey, for account: AccountIndex) -> Int {
        // From then on, an existing place is charged to its new holder.
        let adopted = survey.places.count { place in
            place.map { hierarchy[$0].payer != account } ?? false
        }
        return survey.missingCount + adopted
    }

    mutating func chargePlace(_ node: NodeIndex, to account: AccountIndex) {
        accounts.release(1, .nodes, from: hierarchy[node].payer)
        accounts.charge(1, .nodes, to: account)
        hierarchy[node].charge(to: account)
    }

    /// Charges a vacant place that stays for its descendants to a user who has one of them.
    mutating func chargeToChildren(_ node: NodeIndex) {
        let child = hierarchy.firstChild(of: node)
        if hierarchy[node].holder == nil, child != NodeIndex.none {
            chargePlace(node, to: hierarchy[child].payer)
        }
    }

    // MARK: - Lowered limits

    /// Applies lowered limits to entries that may be dropped: those kept for inspection, and
    /// remembered sessions and outcomes. All other entries stay until their users release them;
    /// until then no entry is added.
    mutating func shrinkTables() {
        let limits = configuration.limits
        if accounts.used(.traces) > Int(limits.traces) {
            observers.traces.shrink(to: limits.traces, &accounts)
        }
        observers.monitors.shrink(to: limits.monitorEvents, &accounts)
        reportForgotten(traffic.undelivered.shrink(to: limits, &accounts))
        traffic.events.quarantine.shrink(to: limits.quarantined, &accounts)
        shrinkDisconnectedSessions()
        shrinkDurableOutcomes()
        for peer in peers.greeted {
            for payload in peers[peer].shrinkOutcomes(to: limits.replyBytes) {
                release(payload)
            }
        }
    }
}

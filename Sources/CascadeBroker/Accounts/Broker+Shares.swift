// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The shares of users in the tables that all of them use (``SharedTable``).
extension Broker {
    func share(of account: AccountIndex, in table: SharedTable) -> Share {
        accounts.share(of: account, in: table, limit: table.limit(in: configuration.limits))
    }

    // MARK: - Places

    /// The place at `path`, made and charged to the account where there is none.
    mutating func findOrMake(_ path: NodePath, for account: AccountIndex) -> NodeIndex {
        let count = hierarchy.count
        let node = hierarchy.findOrMake(path, at: now, payer: account)
        accounts.charge(hierarchy.count - count, .nodes, to: account)
        return node
    }

    /// Throws if the account may not have nodes at these paths.
    func checkPlaces(_ paths: Set<NodePath>, for account: AccountIndex) throws(WireError) {
        // From now on, an existing place is charged to its new holder.
        let adopted = paths.count { path in
            hierarchy.find(path).map { hierarchy[$0].payer != account } ?? false
        }
        try share(of: account, in: .nodes).check(hierarchy.missingCount(paths) + adopted)
    }

    mutating func chargePlace(_ node: NodeIndex, to account: AccountIndex) {
        accounts.release(1, .nodes, from: hierarchy[node].payer)
        accounts.charge(1, .nodes, to: account)
        hierarchy[node].payer = account
    }

    /// A vacant place that stays for what is below it is charged to those who have something there.
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
            traces.shrink(to: limits.traces, &accounts)
        }
        monitors.shrink(to: limits.happenings, &accounts)
        undelivered.shrink(to: limits, &accounts)
        suspects.shrink(to: limits.suspects, &accounts)
        shrinkAbsentSessions()
        shrinkDurableOutcomes()
        for peer in peers.greeted {
            for payload in peers[peer].memory.kept.forget(beyond: limits.replyBytes) {
                release(payload)
            }
        }
    }
}

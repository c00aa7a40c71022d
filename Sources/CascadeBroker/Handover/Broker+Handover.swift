// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The state passed from one daemon to the next: places, ranks, values set for paths, undelivered
/// messages.
extension Broker {
    /// Grows whenever ``handover()`` may have changed.
    package var handoverVersion: UInt64 {
        hierarchy.version &+ environment.keptVersion &+ traffic.undelivered.version
    }

    /// Grows whenever ``storedValues()`` may have changed.
    package var storedValuesVersion: UInt64 {
        environment.keptVersion
    }

    /// The values set for paths, for a daemon after a restart of the machine: their times are on the
    /// wall clock, which both daemons share.
    package func storedValues() -> Handover {
        var handover = Handover()
        handover.values = keptValues().map { value in
            var value = value
            value.since = Instant(
                nanoseconds: value.since.nanoseconds &+ configuration.epochNanoseconds)
            return value
        }
        return handover
    }

    /// Restores the values that a previous daemon has stored. Call it once, before the first input.
    package mutating func restoreValues(_ stored: Handover) {
        for value in stored.values {
            var value = value
            let (since, isEarlier) = value.since.nanoseconds.subtractingReportingOverflow(
                configuration.epochNanoseconds)
            // A value from before the start of the machine's clock has its age from there, and one
            // from the future, after the wall clock was set back, is new.
            value.since = Instant(nanoseconds: isEarlier ? 0 : min(since, now.nanoseconds))
            restore(value)
        }
    }

    package func handover() -> Handover {
        var handover = Handover()
        handover.lastRank = hierarchy.lastRank
        handover.places = hierarchy.subtree(of: Hierarchy.root, depth: .max).dropFirst()
            .map { place($0) }
        handover.values = keptValues()
        handover.undelivered = traffic.undelivered.events
        return handover
    }

    private func place(_ node: NodeIndex) -> Handover.Place {
        let record = hierarchy[node]
        return Handover.Place(
            depth: UInt16(clamping: record.links.depth), component: record.links.component,
            isHeld: record.holder != nil, isInGrace: record.isInGrace,
            isPresented: record.isPresented, detachesOrphans: record.detachesOrphans,
            isMount: record.isMount, owner: owner(of: node), former: formerHolder(of: node),
            since: record.since)
    }

    private func formerHolder(of node: NodeIndex) -> FormerHolder? {
        let record = hierarchy[node]
        guard let holder = record.holder else {
            return hierarchy.formerHolder(of: node)
        }
        return FormerHolder(
            session: sessions.identity(peers[holder].session), rank: record.rank,
            isActive: record.isActive, isDeclaredActive: record.isDeclaredActive)
    }

    private func keptValues() -> [Handover.Value] {
        environment.keptValues.map { path, key, value in
            Handover.Value(
                path: path, key: key, json: value.value.json,
                isSticky: value.setter == .stickyNode, isForItself: value.isForItself,
                since: value.since, author: value.author, owner: accounts[value.account].owner,
                isFallback: value.isFallback, source: value.source?.text)
        }
    }

    // MARK: - Taking over

    /// Restores the state of the previous daemon. Call it once, before the first input.
    ///
    /// The grace time starts anew for sessions that held a place and for those that had lost one:
    /// while no daemon ran, none of them could reconnect.
    package mutating func restore(_ handover: Handover) {
        // A handover may have any number here; ranks above it must remain.
        hierarchy.advanceRanks(beyond: handover.lastRank)
        restorePlaces(handover.places)
        for value in handover.values {
            restore(value)
        }
        for event in handover.undelivered {
            let account = event.owner.map { accounts.number(of: $0) } ?? AccountTable.own
            traffic.undelivered.append(event, of: account, configuration.limits, &accounts)
        }
        hierarchy.advanceVersion()
    }

    private mutating func restorePlaces(_ places: [Handover.Place]) {
        var ancestors: [String] = []
        var restored: [NodeIndex] = []
        for place in places {
            guard hierarchy.count < configuration.limits.nodes else {
                break
            }
            // Its descendants are deeper still, and are left out too.
            guard place.depth <= configuration.limits.depth else {
                continue
            }
            ancestors.removeLast(ancestors.count - Int(place.depth) + 1)
            ancestors.append(place.component)
            let payer = place.owner.map { accounts.number(of: $0) } ?? AccountTable.own
            let node = findOrMake(NodePath(joining: ancestors), for: payer)
            restore(place, at: node)
            restored.append(node)
        }
        // A place that existed only for events under way is not needed here.
        for node in restored.reversed() where hierarchy.contains(node) {
            prune(node)
        }
    }

    private mutating func restore(_ place: Handover.Place, at node: NodeIndex) {
        let account = place.owner.map { accounts.number(of: $0) } ?? AccountTable.own
        hierarchy.restore(place, at: node, of: account, at: now)
        if let former = place.former, let owner = place.owner {
            sessions.recordFormer(former.session, of: owner)
        }
        if place.isHeld || place.isInGrace {
            beginGrace(node)
        }
    }

    /// The limits may be others than those of the daemon before, and rules are read later: a value
    /// that has no room is left out.
    private mutating func restore(_ value: Handover.Value) {
        let account = accounts.number(
            of: value.owner ?? Owner(userID: value.author.userID))
        beginKeys(for: account, wanted: 1)
        guard
            environment.restore(
                value, for: account, at: now, configuration.limits, &accounts)
        else {
            return
        }
        environment.chargeKeys(to: &accounts)
        if let place = hierarchy.find(value.path) {
            environment.bindKept(to: [place], in: hierarchy)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What this session's nodes set and offer after they have attached. It belongs to their
/// declarations, so that it comes back with them after a reconnect.
extension Session {
    /// What a node has set and nobody has confirmed.
    struct PendingSet: Sendable {
        let request: UInt64
        var path: NodePath
        let assignments: Assignments
        /// Whether it waits for nodes to be attached.
        var isHeld = false
    }

    /// Sets values and offers preferences in the name of a node: now, or as soon as the node stands
    /// in the tree again.
    package mutating func set(
        _ assignments: Assignments, at path: NodePath, request: UInt64,
        into effects: inout [SessionEffect]
    ) {
        var pending = PendingSet(request: request, path: path, assignments: assignments)
        pending.isHeld = mayRenumber && number(of: path) != nil
        pendingSets.append(pending)
        // Without a connection, or between a greeting and the answer to the attach, there is none.
        let isOnTheWayBack = numbers.ownNodes.isEmpty && !declarations.isEmpty
        if !isOnTheWayBack, !pending.isHeld {
            send(pending, into: &effects)
        }
    }

    /// Nobody knows what became of them: they are sent again, in order.
    mutating func sendPendingSets(into effects: inout [SessionEffect]) {
        for pending in pendingSets {
            release(pending.request)
            send(pending, into: &effects)
        }
    }

    /// What waited for nodes to be attached need not wait any longer.
    mutating func sendHeldSets(into effects: inout [SessionEffect]) {
        for pending in pendingSets where pending.isHeld {
            release(pending.request)
            send(pending, into: &effects)
        }
    }

    private mutating func release(_ request: UInt64) {
        for place in pendingSets.indices where pendingSets[place].request == request {
            pendingSets[place].isHeld = false
        }
    }

    /// The node is gone, and what it was to set is not on its way.
    mutating func refuseSetsOfGoneNodes(into effects: inout [SessionEffect]) {
        for pending in pendingSets where pending.isHeld && number(of: pending.path) == nil {
            refuseAsGone(pending, &effects)
        }
    }

    private mutating func send(_ pending: PendingSet, into effects: inout [SessionEffect]) {
        guard let node = number(of: pending.path) else {
            refuseAsGone(pending, &effects)
            return
        }
        let message = SetEnvironment(
            request: pending.request, node: node, pending.assignments
        ).encoded()
        do throws(WireError) {
            try checkMessage(byteCount: message.count)
            effects.append(.sendMessage(message))
        } catch {
            refuse(pending, error.code, error.description, &effects)
        }
    }

    private mutating func refuseAsGone(
        _ pending: PendingSet, _ effects: inout [SessionEffect]
    ) {
        refuse(pending, .noSuchNode, "'\(pending.path)' is no longer in the tree", &effects)
    }

    private mutating func refuse(
        _ pending: PendingSet, _ code: ErrorCode, _ sentence: String,
        _ effects: inout [SessionEffect]
    ) {
        pendingSets.removeAll { $0.request == pending.request }
        let refused = Refused(request: pending.request, code: code, sentence: sentence)
        effects.append(.refused(request: pending.request, refused))
    }

    /// The bus has what the node set: from now on that is what the node declares.
    mutating func confirmSet(_ request: UInt64) {
        guard let place = pendingSets.firstIndex(where: { $0.request == request }) else {
            return
        }
        let confirmed = pendingSets.remove(at: place)
        if let place = declarations.firstIndex(where: { $0.path == confirmed.path }) {
            declarations[place].assignments.merge(confirmed.assignments)
        }
    }

    /// The bus has refused what the node set.
    mutating func forgetSet(_ request: UInt64) {
        pendingSets.removeAll { $0.request == request }
    }

    mutating func moveSets(_ old: NodePath, to new: NodePath) {
        for place in pendingSets.indices where pendingSets[place].path == old {
            pendingSets[place].path = new
        }
    }
}

extension Assignments {
    /// Takes over what was set later.
    fileprivate mutating func merge(_ later: Assignments) {
        for setting in later.settings {
            settings.removeAll { $0.key == setting.key }
            if setting.json != nil {
                settings.append(setting)
            }
        }
        for offer in later.offers {
            offers.removeAll { $0.key == offer.key }
            if offer.json != nil {
                offers.append(offer)
            }
        }
        watchedKeys += later.watchedKeys.filter { !watchedKeys.contains($0) }
        watchedPreferences += later.watchedPreferences.filter { !watchedPreferences.contains($0) }
        if !later.rules.isEmpty {
            rules = later.rules
        }
    }
}

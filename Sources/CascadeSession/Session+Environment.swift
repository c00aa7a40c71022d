// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// Values and preferences that nodes set after they have attached. They become part of the nodes'
/// declarations, so a reconnect restores them.
extension Session {
    /// An assignment that the bus has not confirmed.
    struct PendingSet: Sendable {
        let request: UInt64
        var path: NodePath
        let assignments: Assignments
        /// Whether it waits for nodes to be attached.
        var isHeld = false
    }

    /// Sets values and offers preferences of a node, now or as soon as the node is in the tree
    /// again.
    package mutating func set(
        _ assignments: Assignments, at path: NodePath, request: UInt64,
        into effects: inout [SessionEffect]
    ) {
        var pending = PendingSet(request: request, path: path, assignments: assignments)
        pending.isHeld = mayRenumber && number(of: path) != nil
        pendingSets.append(pending)
        // Without a connection, or between a greeting and the answer to the attach, the nodes have
        // no numbers.
        let isOnTheWayBack = numbers.ownNodes.isEmpty && !declarations.isEmpty
        if !isOnTheWayBack, !pending.isHeld {
            send(pending, into: &effects)
        }
    }

    /// Sends unconfirmed assignments again, in order: their result was lost with the connection.
    mutating func sendPendingSets(into effects: inout [SessionEffect]) {
        for pending in pendingSets {
            release(pending.request)
            send(pending, into: &effects)
        }
    }

    /// Sends the assignments that waited for nodes to be attached.
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

    /// Refuses unsent assignments of nodes that have left the tree.
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

    /// Adds a confirmed assignment to the declaration of its node.
    mutating func confirmSet(_ request: UInt64) {
        guard let place = pendingSets.firstIndex(where: { $0.request == request }) else {
            return
        }
        let confirmed = pendingSets.remove(at: place)
        if let place = declarations.firstIndex(where: { $0.path == confirmed.path }) {
            declarations[place].assignments.merge(confirmed.assignments)
        }
    }

    /// Drops an assignment that the bus has refused.
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
    /// Applies later assignments.
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

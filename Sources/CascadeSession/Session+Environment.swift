// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// Values and preferences that nodes set after they have attached. Confirmed ones become part of the
/// nodes' declarations, so a new connection restores them.
extension Session {
    /// An assignment that the bus has not confirmed.
    struct PendingSet: Sendable {
        let request: UInt64
        var path: NodePath
        let assignments: Assignments
        /// Whether it waits for nodes to be attached.
        var isHeld = false
    }

    /// Sets values and offers preferences of a node. During a reconnect it waits until the node is
    /// attached again.
    package mutating func set(
        _ assignments: Assignments, at path: NodePath, request: UInt64,
        into effects: inout [SessionEffect]
    ) {
        var pending = PendingSet(request: request, path: path, assignments: assignments)
        pending.isHeld = mayRenumber && number(of: path) != nil
        pendingSets.append(pending)
        // The nodes have no numbers without a connection, and between the greeting and the answer to
        // the attach.
        let isReattaching = numbers.ownNodes.isEmpty && !declarations.isEmpty
        if !isReattaching, !pending.isHeld {
            send(pending, into: &effects)
        }
    }

    /// Sends the unconfirmed assignments again, in order, because their answers were lost with the
    /// connection.
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
        for index in pendingSets.indices where pendingSets[index].request == request {
            pendingSets[index].isHeld = false
        }
    }

    /// Refuses the unsent assignments of detached nodes.
    mutating func refuseSetsOfDetachedNodes(into effects: inout [SessionEffect]) {
        for pending in pendingSets where pending.isHeld && number(of: pending.path) == nil {
            refuseAsDetached(pending, &effects)
        }
    }

    private mutating func send(_ pending: PendingSet, into effects: inout [SessionEffect]) {
        guard let node = number(of: pending.path) else {
            refuseAsDetached(pending, &effects)
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

    private mutating func refuseAsDetached(
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
        guard let index = pendingSets.firstIndex(where: { $0.request == request }) else {
            return
        }
        let confirmed = pendingSets.remove(at: index)
        if let index = declarations.firstIndex(where: { $0.path == confirmed.path }) {
            declarations[index].assignments.merge(confirmed.assignments)
        }
    }

    /// Removes an assignment that the bus has refused.
    mutating func removeSet(_ request: UInt64) {
        pendingSets.removeAll { $0.request == request }
    }

    /// Returns a sentence about the first value of these nodes that is longer than the daemon accepts;
    /// `nil` if there is none.
    package func oversizedValue(of nodes: [NodeDeclaration]) -> String? {
        for node in nodes {
            for (key, json) in node.assignments.values where json.utf8.count > valueByteCountMax {
                return "the value of '\(key)' at '\(node.path)' has \(json.utf8.count) bytes, "
                    + "more than \(valueByteCountMax) (limit valueBytes of the bus)"
            }
        }
        return nil
    }

    /// Changes the path of assignments after a move of their node.
    mutating func moveSets(_ old: NodePath, to new: NodePath) {
        for index in pendingSets.indices where pendingSets[index].path == old {
            pendingSets[index].path = new
        }
    }
}

extension Assignments {
    /// The values that are set or offered.
    fileprivate var values: [(key: EventName, json: String)] {
        settings.compactMap { setting in setting.json.map { (setting.key, $0) } }
            + offers.compactMap { offer in offer.json.map { (offer.key, $0) } }
    }

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

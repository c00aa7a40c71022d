// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// What nodes set, offer and watch: the charges for it, and monitor events about it.
extension Broker {
    /// Checks what the nodes of an attach declare. Nothing is set when this throws.
    ///
    /// - Parameter places: the existing places of the nodes.
    mutating func prepareAssignments(
        _ attach: Attach, at places: [NodeIndex?], by peer: PeerID
    ) throws(WireError) -> [PreparedAssignments] {
        beginKeys(for: peers[peer].account, attach.nodes.map(\.assignments))
        var prepared: [PreparedAssignments] = []
        var byteCount = attach.nodes.reduce(0) {
            $0 + $1.responderByteCount + $1.declaredNameByteCount
        }
        for (declaration, place) in zip(attach.nodes, places) {
            prepared.append(
                try prepare(
                    declaration.assignments, of: declaration.path, at: place, by: peer,
                    beside: &byteCount))
        }
        try checkReducers(Array(zip(places, prepared)), by: peer)
        try checkRoomToKeep(
            zip(attach.nodes, prepared).map { declaration, prepared in
                (declaration.path, prepared)
            })
        return prepared
    }

    /// Reads what is to be set and refuses what is wrong with it. Nothing is set yet.
    mutating func prepare(
        _ assignments: Assignments, of path: NodePath, at node: NodeIndex?, by peer: PeerID
    ) throws(WireError) -> PreparedAssignments {
        var byteCount = 0
        return try prepare(assignments, of: path, at: node, by: peer, beside: &byteCount)
    }

    /// - Parameter byteCount: The bytes of what the same message declares besides; those of the
    ///   assignments are added.
    private mutating func prepare(
        _ assignments: Assignments, of path: NodePath, at node: NodeIndex?, by peer: PeerID,
        beside byteCount: inout Int
    ) throws(WireError) -> PreparedAssignments {
        let prepared = try environment.prepare(
            assignments, of: path, by: Provenance(peers[peer].credentials), at: now,
            configuration.limits)
        let depth = prepared.offers.isEmpty ? 0 : UInt32(clamping: path.components.count)
        byteCount += environment.byteCount(of: prepared, at: node, depth: depth)
        try checkBytes(byteCount, of: peer)
        return prepared
    }

    func checkRoomToKeep(
        _ nodes: [(path: NodePath, prepared: PreparedAssignments)]
    ) throws(WireError) {
        try environment.checkRoomToKeep(
            nodes, for: turn.account, share(of: turn.account, in: .keptValues),
            configuration.limits)
    }

    /// Refuses an offer by another reducer than its key has.
    func checkReducers(
        _ nodes: [(node: NodeIndex?, prepared: PreparedAssignments)], by peer: PeerID
    ) throws(WireError) {
        guard let conflict = environment.reducerConflict(nodes) else {
            return
        }
        var who = "another node of this session"
        if let node = conflict.node {
            let path = hierarchy.path(of: node)
            who = mayAct(.inspect, path, peer) ? "'\(path)'" : "another node"
        }
        throw WireError(
            .otherReducer,
            "the preference '\(conflict.key)' is reduced by \(conflict.declared.name), as \(who) "
                + "declared first, and not by \(conflict.offered.name)")
    }

    /// Does what was prepared. A declaration is whole: what it does not say is taken back.
    mutating func assign(_ prepared: PreparedAssignments, at node: NodeIndex, isWhole: Bool) {
        guard let holder = hierarchy[node].holder else {
            return
        }
        let assigned = environment.assign(
            prepared, at: node, isWhole: isWhole, by: assigner(holder), in: hierarchy, &accounts)
        for change in assigned {
            tellAssigned(change)
        }
        chargeDeclared(at: node)
    }

    func assigner(_ peer: PeerID) -> Environment.Assigner {
        Environment.Assigner(
            author: Provenance(peers[peer].credentials), account: peers[peer].account, now: now)
    }

    /// A node goes: what it set, offered and watched goes with it, in one step.
    mutating func withdrawEnvironment(of node: NodeIndex) {
        for change in environment.withdraw(node, in: hierarchy) {
            tellAssigned(change)
        }
    }

    /// Tells observers.monitors. What a node sets as often as it likes is not kept for those to come.
    mutating func tellAssigned(_ change: Environment.Assigned) {
        guard !change.isByNode || !observers.monitors.isEmpty else {
            return
        }
        var monitorEvent = MonitorEvent(
            .env, change.value == nil ? "unset" : "set", path: change.path, name: change.key)
        monitorEvent.message = change.value.map { $0.json.shortened }
        monitorEvent.mentions = .nothing
        if change.isByNode {
            monitorEvent.when = now
            tellMonitors(monitorEvent)
        } else {
            recordMonitorEvent(monitorEvent)
        }
    }
}

extension String {
    /// No more of a value than a person reads.
    var shortened: String {
        let most = 256
        return utf8.count <= most ? self : String(prefix(most)) + "…"
    }
}

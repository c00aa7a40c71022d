// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Assignments, preferences and watches of nodes: their charges, and the monitor events about them.
extension Broker {
    /// Checks the declarations of the nodes of an attach. Nothing has changed if this throws.
    ///
    /// - Parameter places: the existing places of the nodes.
    mutating func prepareAssignments(
        _ attach: Attach, at places: [NodeIndex?], by peer: PeerID
    ) throws(WireError) -> [PreparedAssignments] {
        beginKeys(for: peers[peer].account, attach.nodes.map(\.assignments))
        var prepared: [PreparedAssignments] = []
        for declaration in attach.nodes {
            prepared.append(
                try prepare(declaration.assignments, of: declaration.path, by: peer))
        }
        let nodes = attach.nodes.indices.map {
            (path: attach.nodes[$0].path, place: places[$0], prepared: prepared[$0])
        }
        let declaredByteCount = attach.nodes.reduce(0) {
            $0 + $1.responderByteCount + $1.declaredNameByteCount
        }
        try check(nodes, beside: declaredByteCount, by: peer)
        return prepared
    }

    /// Reads assignments and refuses invalid ones. Nothing has changed yet.
    mutating func prepare(
        _ assignments: Assignments, of path: NodePath, by peer: PeerID
    ) throws(WireError) -> PreparedAssignments {
        try environment.prepare(
            assignments, of: path, by: Provenance(peers[peer].credentials), at: now,
            configuration.limits)
    }

    /// Throws if the session may not have the assignments of its nodes.
    ///
    /// - Parameters:
    ///   - nodes: The nodes of one message; a place is `nil` if it does not exist yet.
    ///   - byteCount: The bytes of the rest of their declarations.
    ///   - peer: The session's peer.
    func check(
        _ nodes: [(path: NodePath, place: NodeIndex?, prepared: PreparedAssignments)],
        beside byteCount: Int = 0, by peer: PeerID
    ) throws(WireError) {
        let byteCount = nodes.reduce(byteCount) {
            $0 + self.byteCount(of: $1.prepared, for: $1.path, at: $1.place)
        }
        try checkBytes(byteCount, of: peer)
        try checkReducers(nodes.map { ($0.place, $0.prepared) }, by: peer)
        try checkRoomToKeep(nodes.map { ($0.path, $0.prepared) })
    }

    /// Returns how many bytes more the node at a place would have.
    func byteCount(
        of prepared: PreparedAssignments, for path: NodePath, at node: NodeIndex?
    ) -> Int {
        let depth = prepared.offers.isEmpty ? 0 : UInt32(clamping: path.components.count)
        return environment.byteCount(of: prepared, at: node, depth: depth)
    }

    private func checkRoomToKeep(
        _ nodes: [(path: NodePath, prepared: PreparedAssignments)]
    ) throws(WireError) {
        try environment.checkRoomToKeep(
            nodes, for: turn.account, share(of: turn.account, in: .keptValues),
            configuration.limits)
    }

    /// Refuses an offer by another reducer than its key has.
    private func checkReducers(
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

    /// Applies prepared assignments. A declaration is complete: a value that it omits is withdrawn.
    mutating func assign(_ prepared: PreparedAssignments, at node: NodeIndex, isWhole: Bool) {
        guard let holder = hierarchy[node].holder else {
            return
        }
        let assigned = environment.assign(
            prepared, at: node, isWhole: isWhole, by: assigner(holder), in: hierarchy, &accounts)
        for change in assigned {
            reportAssigned(change)
        }
        chargeDeclared(at: node)
    }

    func assigner(_ peer: PeerID) -> Environment.Assigner {
        Environment.Assigner(
            author: Provenance(peers[peer].credentials), account: peers[peer].account, now: now)
    }

    /// Withdraws the values, preferences and watches of a node that leaves, in one step.
    mutating func withdrawEnvironment(of node: NodeIndex) {
        for change in environment.withdraw(node, in: hierarchy) {
            reportAssigned(change)
        }
    }

    /// Reports an assignment to monitors. It is not kept for later monitors, for a node may assign
    /// as often as it likes.
    mutating func reportAssigned(_ change: Environment.Assigned) {
        guard !change.isByNode || !observers.monitors.isEmpty else {
            return
        }
        var monitorEvent = MonitorEvent(
            change.value == nil ? .unset : .set, path: change.path, name: change.key)
        monitorEvent.message = change.value.map { $0.json.shortened }
        monitorEvent.mentions = .nothing
        if change.isByNode {
            monitorEvent.when = now
            reportToMonitors(monitorEvent)
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

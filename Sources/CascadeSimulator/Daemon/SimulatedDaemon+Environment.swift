// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Reports confirmed changes and the notifications of watchers to the oracle of the environment.
extension SimulatedDaemon {
    /// A requested change that the daemon has not answered.
    struct PendingChange {
        enum Content {
            case declaration(UInt32, Assignments)
            case assignment(UInt32, Assignments)
            case fromOutside(NodePath, [EnvironmentSetting])
        }

        var peer: PeerID
        var request: UInt64
        var content: Content
    }

    /// Records a change that a worker requests.
    func observeReceivedEnvironment(
        _ header: Header, _ message: [UInt8], from peer: PeerID
    ) throws(WireError) {
        switch header.command {
        case .change:
            let change = try Change(parsing: message)
            pendingChanges.append(
                PendingChange(
                    peer: peer, request: change.request,
                    content: .declaration(change.node, change.declaration.assignments)))
        case .set:
            let set = try SetEnvironment(parsing: message)
            let content: PendingChange.Content =
                set.node == Header.noNode
                ? .fromOutside(set.path ?? .root, set.assignments.settings)
                : .assignment(set.node, set.assignments)
            pendingChanges.append(
                PendingChange(peer: peer, request: set.request, content: content))
        default: break
        }
    }

    /// Reports attached nodes, and the changes that the daemon sends to watchers.
    func observeSentEnvironment(
        _ header: Header, _ message: [UInt8], to peer: PeerID
    ) throws(WireError) {
        switch header.command {
        case .attached:
            observeAttached(try Attached(parsing: message), peer)
        case .environment:
            let changes = try EnvironmentChanges(parsing: message)
            simulation.count(.environmentChange)
            simulation.log(
                "daemon: node \(changes.node) reads "
                    + changes.changes.map { change in
                        "\(change.isPreference ? "^" : "")\(change.key) = "
                            + "\(change.new ?? "nothing")"
                    }.joined(separator: ", "), session: wiretap.peers[peer]?.session)
            simulation.addFinding(simulation.oracles.environment.sent(changes, to: peer))
        default: break
        }
    }

    private func observeAttached(_ attached: Attached, _ peer: PeerID) {
        let declared = wiretap.peers[peer]?.declarations[attached.request] ?? []
        for (node, declaration) in zip(attached.nodes, declared) {
            simulation.log(
                "\(node.path) is node \(node.number) and has \(declaration.assignments)",
                session: wiretap.peers[peer]?.session)
            simulation.oracles.environment.attached(
                node.number, node.path, of: peer, declaration.assignments,
                rules(declaration.assignments))
            if attached.request != .max, let session = wiretap.peers[peer]?.session {
                simulation.oracles.repetition.attached(node.path, of: session)
            }
        }
    }

    /// Reports a requested change that the daemon has confirmed, or drops a refused one.
    func observeAnswer(_ header: Header, to peer: PeerID) {
        guard
            let index = pendingChanges.firstIndex(where: {
                $0.peer == peer && $0.request == header.id
            })
        else {
            return
        }
        let change = pendingChanges.remove(at: index)
        guard header.command == .done else {
            return
        }
        simulation.log(
            "daemon confirms \(change.content)", session: wiretap.peers[peer]?.session)
        switch change.content {
        case .declaration(let node, let assignments):
            simulation.oracles.environment.declared(
                node, wiretap.nodes[node]?.path ?? .root, assignments, rules(assignments))
        case .assignment(let node, let assignments):
            simulation.oracles.environment.assigned(
                node, wiretap.nodes[node]?.path ?? .root, assignments, rules(assignments))
        case .fromOutside(let path, let settings):
            simulation.oracles.environment.setFromOutside(settings, at: path)
        }
    }

    private func rules(_ assignments: Assignments) -> [NaiveRule] {
        assignments.rules.compactMap { simulation.rules[$0] }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Reports to the environment's oracle: confirmed changes, and the notifications of watchers.
extension SimulatedDaemon {
    /// A requested change that the daemon has not answered yet.
    struct AskedChange {
        enum What {
            case declared(UInt32, Assignments)
            case assigned(UInt32, Assignments)
            case kept(NodePath, [EnvironmentSetting])
        }

        var peer: PeerID
        var request: UInt64
        var what: What
    }

    func receivedEnvironment(
        _ header: Header, _ message: [UInt8], from peer: PeerID
    ) throws(WireError) {
        switch header.command {
        case .change:
            let change = try Change(parsing: message)
            askedChanges.append(
                AskedChange(
                    peer: peer, request: change.request,
                    what: .declared(change.node, change.declaration.assignments)))
        case .set:
            let set = try SetEnvironment(parsing: message)
            let what: AskedChange.What =
                set.node == Header.noNode
                ? .kept(set.path ?? .root, set.assignments.settings)
                : .assigned(set.node, set.assignments)
            askedChanges.append(AskedChange(peer: peer, request: set.request, what: what))
        default: break
        }
    }

    func sentEnvironment(
        _ header: Header, _ message: [UInt8], to peer: PeerID
    ) throws(WireError) {
        switch header.command {
        case .attached:
            attached(try Attached(parsing: message), peer)
        case .environment:
            let changes = try EnvironmentChanges(parsing: message)
            simulation.count(.environmentChange)
            simulation.note(
                "daemon: node \(changes.node) reads "
                    + changes.changes.map { change in
                        "\(change.isPreference ? "^" : "")\(change.key) = "
                            + "\(change.new ?? "nothing")"
                    }.joined(separator: ", "), session: wiretap.peers[peer]?.session)
            simulation.find(simulation.oracles.environment.sent(changes, to: peer))
        default: break
        }
    }

    private func attached(_ attached: Attached, _ peer: PeerID) {
        let declared = wiretap.peers[peer]?.declarations[attached.request] ?? []
        for (node, declaration) in zip(attached.nodes, declared) {
            simulation.note(
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

    /// The daemon has made or refused a requested change.
    func answered(_ header: Header, to peer: PeerID) {
        guard
            let place = askedChanges.firstIndex(where: {
                $0.peer == peer && $0.request == header.id
            })
        else {
            return
        }
        let asked = askedChanges.remove(at: place)
        guard header.command == .done else {
            return
        }
        simulation.note("daemon has \(asked.what)", session: wiretap.peers[peer]?.session)
        switch asked.what {
        case .declared(let node, let assignments):
            simulation.oracles.environment.declared(
                node, wiretap.nodes[node]?.path ?? .root, assignments, rules(assignments))
        case .assigned(let node, let assignments):
            simulation.oracles.environment.assigned(
                node, wiretap.nodes[node]?.path ?? .root, assignments, rules(assignments))
        case .kept(let path, let settings):
            simulation.oracles.environment.kept(settings, for: path)
        }
    }

    private func rules(_ assignments: Assignments) -> [NaiveRule] {
        assignments.rules.compactMap { simulation.rules[$0] }
    }
}

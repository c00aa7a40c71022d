// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A peer of a scenario, with the definitions it has received and the deliveries it must answer.
struct ScenarioPeer {
    /// A visit or delivery that the peer has received and not answered.
    struct Open {
        var delivery: UInt64
        var node: UInt32
        var isAccepted = false
    }

    let name: String
    let id: PeerID
    let processID: UInt32
    var session: SessionID
    var secret: SessionSecret?
    /// The key for which it greets; `nil` for its own session.
    var policyKey: String?

    // The meanings of numbers, as defined on this connection.
    var names: [UInt32: EventName] = [:]
    var nodes: [UInt32: NodePath] = [:]
    var sessions: [UInt32: SessionID] = [:]

    /// Its own nodes, as attached.
    var ownNodes: [NodePath: UInt32] = [:]
    /// The subscriptions of each node.
    var subscriptions: [String: [String]] = [:]
    var lastRequest: UInt64 = 0
    var lastSequence: UInt64 = 0
    var open: [Open] = []
    /// The last beat that was not answered.
    var lastBeat: UInt64 = 0
    /// The subjects of its queries, by request number.
    var queries: [UInt64: Query.Subject] = [:]

    init(name: String, id: PeerID, processID: UInt32, session: SessionID, secret: SessionSecret?) {
        self.name = name
        self.id = id
        self.processID = processID
        self.session = session
        self.secret = secret
    }

    func number(of name: String) -> UInt32? {
        names.first { $0.value.description == name }?.key
    }

    /// The number of one of its nodes.
    func node(_ path: String) -> UInt32? {
        ownNodes.first { $0.key.description == path }?.value
    }

    /// Its only node that subscribes to a name.
    func onlySubscriber(of name: EventName) -> (path: NodePath, number: UInt32)? {
        let subscribers = ownNodes.filter { path, _ in
            subscriptions[path.description]?.contains(name.description) == true
        }
        return subscribers.count == 1 ? subscribers.first.map { ($0.key, $0.value) } : nil
    }

    mutating func learn(_ definition: Define.Definition) {
        switch definition {
        case .name(let number, let name): names[number] = name
        case .node(let number, let path, _): nodes[number] = path
        case .session(let number, let session): sessions[number] = session.id
        }
    }
}

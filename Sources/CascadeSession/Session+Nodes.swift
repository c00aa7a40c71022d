// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import DequeModule

/// Attaching, moving and detaching the nodes of this session.
extension Session {
    /// Attaches nodes, either all or none. The session attaches them again after each reconnect.
    package mutating func attach(
        _ nodes: [NodeDeclaration], names: [EventName], request: UInt64,
        into effects: inout [SessionEffect]
    ) {
        pendingAttach[request] = nodes
        wantedNames += names.filter { !wantedNames.contains($0) }
        send(Attach(request: request, nodes: nodes, names: names), into: &effects)
    }

    mutating func attached(_ attached: Attached, into effects: inout [SessionEffect]) {
        if let nodes = pendingAttach.removeValue(forKey: attached.request) {
            declarations += nodes
        }
        close(attached.request)
        for node in attached.nodes {
            numbers.learn(node)
            learn(node.activation, of: node.path)
            guard let declaration = declarations.last(where: { $0.path == node.path }) else {
                continue
            }
            openVisitQueue(declaration, of: node.number)
            if attached.request != reattachRequest, let place = visitQueuePlaces[node.number] {
                verdicts.forget(place)
            }
            subscribe(declaration, as: node.number)
        }
        if attached.request == reattachRequest {
            sendPendingSets(into: &effects)
            resume(into: &effects)
        } else {
            effects.append(.attached(request: attached.request))
            nodesHaveNumbers(into: &effects)
            effects.append(.creditReturned)
        }
    }

    /// Records activations and deactivations of this session's nodes, by this or other sessions.
    mutating func learnActivations(_ definitions: [Define.Definition]) {
        for case .node(_, let path, let activation) in definitions {
            learn(activation, of: path)
        }
    }

    /// Records the activation of a node for later connections, so that the order of activations
    /// survives a restart of the daemon.
    private mutating func learn(_ activation: Activation?, of path: NodePath) {
        if let activation, let place = declarations.lastIndex(where: { $0.path == path }) {
            declarations[place].activation = activation
        }
    }

    /// Sends what waited for the answer to an attach, unless another attach is under way.
    mutating func nodesHaveNumbers(into effects: inout [SessionEffect]) {
        guard !mayRenumber else {
            return
        }
        sendHeldSets(into: &effects)
        sendHeldRequests(into: &effects)
        returnHeldCredit(into: &effects)
    }

    /// Opens the visit queue of a path. A reconnect keeps it, because visits that still run count
    /// against the node's concurrency.
    private mutating func openVisitQueue(_ declaration: NodeDeclaration, of node: UInt32) {
        let place = visitQueuesByPath[declaration.path] ?? visitQueues.count
        if place == visitQueues.count {
            visitQueues.append(VisitQueue())
            visitQueuesByPath[declaration.path] = place
        }
        visitQueues[place].concurrency = Int(declaration.concurrency)
        visitQueues[place].prefetch = Int(declaration.prefetch)
        visitQueuePlaces.insert(place, at: node)
    }

    private mutating func subscribe(_ declaration: NodeDeclaration, as node: UInt32) {
        for name in declaration.subscriptions {
            subscribers.insert(node, at: numbers.number(of: name))
        }
    }

    mutating func detached(_ detached: Detached, into effects: inout [SessionEffect]) {
        declarations.removeAll { $0.path == detached.path }
        numbers.forget(detached.path)
        if let place = visitQueuePlaces.remove(detached.node) {
            close(place, of: detached.node, into: &effects)
        }
        // Another node of the session may subscribe to the same names.
        subscribers.removeAll()
        for declaration in declarations {
            subscribe(declaration, as: numbers.number(of: declaration.path))
        }
        effects.append(.detached(detached))
        refuseSetsOfGoneNodes(into: &effects)
        closeRequestsOfGoneNodes(into: &effects)
    }

    /// Drops the visits of a node that has left. Visits that began at another node of this session
    /// go on to their next stop.
    private mutating func close(
        _ visitQueue: Int, of node: UInt32, into effects: inout [SessionEffect]
    ) {
        let waiting = visitQueues[visitQueue].waiting
        visitQueues[visitQueue].empty()
        visits.forget(visitQueue, firstNode: node)
        for visit in waiting where visits[visit].state == .waiting {
            advance(visit, into: &effects)
        }
        replay(into: &effects)
    }

    /// Records the new path of a node. A reconnect attaches the node there.
    mutating func moved(_ moved: Moved, into effects: inout [SessionEffect]) {
        guard let old = numbers.nodes[moved.node],
            let place = declarations.firstIndex(where: { $0.path == old })
        else {
            return
        }
        declarations[place].path = moved.path
        numbers.forget(old)
        numbers.learn(Attached.Node(path: moved.path, number: moved.node))
        visitQueuesByPath[moved.path] = visitQueuesByPath.removeValue(forKey: old)
        inFlight.move(old, to: moved.path)
        moveSets(old, to: moved.path)
        moveRequests(old, to: moved.path)
        effects.append(.moved(from: old, to: moved.path))
    }
}

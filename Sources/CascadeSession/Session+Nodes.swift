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

    /// Replaces the declaration of a node of this session. Once the daemon has confirmed the change, later
    /// connections attach the node with the new declaration.
    ///
    /// With `abandons`, the node gives up the visits and deliveries that it has begun: their results are
    /// not sent.
    package mutating func change(_ change: Change, into effects: inout [SessionEffect]) {
        if let path = numbers.nodes[change.node] {
            pendingChanges[change.request] = PendingChange(
                path: path, declaration: change.declaration)
        }
        send(change, into: &effects)
        if change.abandons {
            abandonBegun(change.node)
        }
    }

    mutating func confirmChange(_ request: UInt64, into effects: inout [SessionEffect]) {
        guard let change = pendingChanges.removeValue(forKey: request),
            let index = declarations.lastIndex(where: { $0.path == change.path })
        else {
            return
        }
        var declaration = change.declaration
        declaration.path = change.path
        declaration.activation = declarations[index].activation
        declarations[index] = declaration
        guard let node = numbers.ownNodes[change.path] else {
            return
        }
        openVisitQueue(declaration, of: node)
        resubscribe()
        if let visitQueue = visitQueueIndices[node] {
            begin(visitQueue, into: &effects)
        }
    }

    mutating func apply(_ attached: Attached, into effects: inout [SessionEffect]) {
        if let nodes = pendingAttach.removeValue(forKey: attached.request) {
            declarations += nodes
        }
        close(attached.request)
        for node in attached.nodes {
            numbers.insert(node)
            setActivation(node.activation, of: node.path)
            guard let declaration = declarations.last(where: { $0.path == node.path }) else {
                continue
            }
            openVisitQueue(declaration, of: node.number)
            if attached.request != reattachRequest, let index = visitQueueIndices[node.number] {
                verdicts.removeAll(of: index)
            }
            subscribe(declaration, as: node.number)
        }
        if attached.request == reattachRequest {
            sendPendingSets(into: &effects)
            resume(into: &effects)
        } else {
            effects.append(.attached(request: attached.request))
            sendHeldMessages(into: &effects)
            effects.append(.creditReturned)
        }
    }

    /// Records the activations of this session's nodes, which any session may change.
    mutating func applyActivations(_ definitions: [Define.Definition]) {
        for case .node(_, let path, let activation) in definitions {
            setActivation(activation, of: path)
        }
    }

    /// Adds an activation to the declaration of its node, so that a restarted daemon restores the order
    /// of activations.
    private mutating func setActivation(_ activation: Activation?, of path: NodePath) {
        if let activation, let index = declarations.lastIndex(where: { $0.path == path }) {
            declarations[index].activation = activation
        }
    }

    /// Sends the messages that waited for the answer to an attach, unless another attach is under way.
    mutating func sendHeldMessages(into effects: inout [SessionEffect]) {
        guard !mayRenumber else {
            return
        }
        sendHeldSets(into: &effects)
        sendHeldRequests(into: &effects)
        returnAllCredit(into: &effects)
    }

    /// Opens the visit queue of a path. A new connection continues an existing queue, because visits that
    /// still run count against the node's concurrency.
    private mutating func openVisitQueue(_ declaration: NodeDeclaration, of node: UInt32) {
        let index = visitQueuesByPath[declaration.path] ?? visitQueues.count
        if index == visitQueues.count {
            visitQueues.append(VisitQueue())
            visitQueuesByPath[declaration.path] = index
        }
        visitQueues[index].concurrency = Int(declaration.concurrency)
        visitQueues[index].prefetch = Int(declaration.prefetch)
        visitQueueIndices.insert(index, at: node)
    }

    private mutating func subscribe(_ declaration: NodeDeclaration, as node: UInt32) {
        for name in declaration.subscriptions + declaration.standIns.map(\.name) {
            subscribers.insert(node, at: numbers.number(of: name))
        }
    }

    /// Finds the subscribing nodes anew: several nodes of the session may subscribe to the same name.
    private mutating func resubscribe() {
        subscribers.removeAll()
        for declaration in declarations {
            subscribe(declaration, as: numbers.number(of: declaration.path))
        }
    }

    mutating func apply(_ detached: Detached, into effects: inout [SessionEffect]) {
        declarations.removeAll { $0.path == detached.path }
        numbers.remove(detached.path)
        if let index = visitQueueIndices.remove(detached.node) {
            close(index, of: detached.node, into: &effects)
        }
        resubscribe()
        effects.append(.detached(detached))
        refuseSetsOfDetachedNodes(into: &effects)
        closeRequestsOfDetachedNodes(into: &effects)
    }

    /// Drops the visits of a detached node. Visits that began at another node of this session continue
    /// with their next stop.
    private mutating func close(
        _ visitQueue: Int, of node: UInt32, into effects: inout [SessionEffect]
    ) {
        let waiting = visitQueues[visitQueue].waiting
        visitQueues[visitQueue].removeWaiting()
        visits.abandon(visitQueue, firstNode: node)
        for visit in waiting where visits[visit].state == .waiting {
            advance(visit, into: &effects)
        }
        replay(into: &effects)
    }

    mutating func apply(_ moved: Moved, into effects: inout [SessionEffect]) {
        guard let old = numbers.nodes[moved.node],
            declarations.contains(where: { $0.path == old })
        else {
            return
        }
        numbers.remove(old)
        numbers.insert(Attached.Node(path: moved.path, number: moved.node))
        move(old, to: moved.path, into: &effects)
    }

    /// Records the new path of a node. A new connection attaches the node there.
    package mutating func move(
        _ old: NodePath, to new: NodePath, into effects: inout [SessionEffect]
    ) {
        for index in declarations.indices where declarations[index].path == old {
            declarations[index].path = new
        }
        moveAttaches(old, to: new)
        visitQueuesByPath[new] = visitQueuesByPath.removeValue(forKey: old)
        inFlight.move(old, to: new)
        moveSets(old, to: new)
        moveRequests(old, to: new)
        for (request, change) in pendingChanges where change.path == old {
            pendingChanges[request]?.path = new
        }
        effects.append(.moved(from: old, to: new))
    }

    /// Changes the path of a node in the attaches that the daemon has not answered.
    private mutating func moveAttaches(_ old: NodePath, to new: NodePath) {
        for (request, var nodes) in pendingAttach {
            guard let place = nodes.firstIndex(where: { $0.path == old }) else {
                continue
            }
            nodes[place].path = new
            pendingAttach[request] = nodes
            for index in openRequests.indices where openRequests[index].request == request {
                openRequests[index].message =
                    Attach(request: request, nodes: nodes, names: wantedNames).encoded()
            }
        }
    }
}

/// A new declaration of a node, which the daemon has not confirmed.
struct PendingChange: Sendable {
    var path: NodePath
    var declaration: NodeDeclaration
}

// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// Requests. Each new connection sends them again until they are answered. A request about a node waits
/// while the daemon may be assigning the numbers of nodes.
extension Session {
    struct OpenRequest: Sendable {
        var request: UInt64
        var isRepeating: Bool
        var message: [UInt8]
        /// The node that the request concerns; each connection has another number for it.
        var node: NodePath?
        /// Whether the request waits for nodes to be attached.
        var isHeld = false
    }

    /// Sends a request, or queues it until the session is connected. It is sent again if the connection
    /// breaks before the answer.
    package mutating func send(
        _ message: some WireMessage, into effects: inout [SessionEffect]
    ) {
        let encoded = message.encoded()
        let header = message.header
        let node = numbers.nodes[header.node]
        let isHeld = node != nil && mayRenumber
        let isEarly = node == nil && mayRenumber && !hasResumed
        openRequests.append(
            OpenRequest(
                request: header.id, isRepeating: header.flags.contains(.repeating),
                message: encoded, node: node, isHeld: isHeld))
        if state == .welcomed, !isHeld, !isEarly {
            effects.append(.sendMessage(encoded))
        }
    }

    /// Whether the daemon may be assigning numbers to nodes. A new node may get the number of a detached
    /// one, so requests about nodes wait for the answer.
    var mayRenumber: Bool {
        !pendingAttach.isEmpty
    }

    /// Sends the requests about this session's nodes again, with the nodes' new numbers.
    mutating func resendRequestsOfNodes(into effects: inout [SessionEffect]) {
        for index in openRequests.indices where openRequests[index].node != nil {
            openRequests[index].isHeld = true
        }
        sendHeldRequests(into: &effects)
    }

    /// Sends the unanswered attaches again, and the requests made after them.
    mutating func resendAttaches(into effects: inout [SessionEffect]) {
        for open in openRequests[firstAttach...] where open.node == nil {
            effects.append(.sendMessage(open.message))
        }
    }

    /// The index of the first unanswered attach.
    var firstAttach: Int {
        openRequests.firstIndex { pendingAttach[$0.request] != nil } ?? openRequests.count
    }

    /// Completes the unsent requests about detached nodes.
    mutating func closeRequestsOfDetachedNodes(into effects: inout [SessionEffect]) {
        for open in openRequests where open.isHeld {
            if let path = open.node, numbers.ownNodes[path] == nil {
                close(open.request)
                effects.append(.done(request: open.request))
            }
        }
    }

    /// Sends the requests that waited for nodes to be attached.
    mutating func sendHeldRequests(into effects: inout [SessionEffect]) {
        closeRequestsOfDetachedNodes(into: &effects)
        sendHeld(into: &effects)
    }

    private mutating func sendHeld(into effects: inout [SessionEffect]) {
        for index in openRequests.indices where openRequests[index].isHeld {
            guard let path = openRequests[index].node, let number = numbers.ownNodes[path],
                var header = try? Header(parsing: openRequests[index].message)
            else {
                continue
            }
            openRequests[index].isHeld = false
            header.node = number
            let rest = openRequests[index].message.dropFirst(Header.byteCount)
            effects.append(.sendMessage(header.encoded() + rest))
        }
    }

    /// Changes the path of requests after a move of their node.
    mutating func moveRequests(_ old: NodePath, to new: NodePath) {
        for index in openRequests.indices where openRequests[index].node == old {
            openRequests[index].node = new
        }
    }

    /// Ends a repeating query.
    package mutating func endRepeatingQuery(
        _ request: UInt64, into effects: inout [SessionEffect]
    ) {
        let countBefore = openRequests.count
        openRequests.removeAll { $0.request == request && $0.isRepeating }
        if state == .welcomed, openRequests.count < countBefore {
            // A query with the same number replaces the repeating one. Its short answer is ignored.
            let last = Query(request: request, .tree(path: .root, depth: 0))
            effects.append(.sendMessage(last.encoded()))
        }
    }

    /// Removes an answered request.
    mutating func close(_ request: UInt64) {
        openRequests.removeAll { $0.request == request && !$0.isRepeating }
    }
}

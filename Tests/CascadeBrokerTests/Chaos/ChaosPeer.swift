// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A peer that does anything at any time, and records what the broker owes it.
struct ChaosPeer {
    struct Node {
        var path: NodePath
        var subscriptions: [EventName]
        var prefetch: Int
        /// Whether it is declared as a mount.
        var isMount = false
        /// Unacknowledged visits and deliveries that it has not returned credit for.
        var silentCount = 0
        /// Whether it has never returned more credit than it had.
        var isHonest = true
    }

    /// A node that may raise messages of another bus: one at the root, or a mount.
    func isUplink(_ node: UInt32) -> Bool {
        own[node].map { $0.isMount || $0.path.isRoot } ?? false
    }

    struct Open: Equatable {
        var id: UInt64
        var node: UInt32
        var isPublication: Bool
    }

    let id: PeerID
    let session: SessionID
    var isOpen = false
    var lastRequest: UInt64 = 0
    /// The sequence number of the session's last message, on this connection or an earlier one.
    var lastSequence: UInt64
    /// The sequence number of the last message on this connection.
    var lastSequenceHere: UInt64 = 0

    /// The messages without an outcome, and the unacknowledged ones whose credit is not returned.
    var pending: Set<UInt64> = []
    var silent: Set<UInt64> = []
    /// Whether its process has exited; its connection is still open.
    var hasExited = false
    var silentCount = 0

    var names: [UInt32: EventName] = [:]
    var nodes: [UInt32: NodePath] = [:]
    var sessions: [UInt32: SessionID] = [:]

    var own: [UInt32: Node] = [:]
    var open: [Open] = []
    /// The declarations of unanswered attaches and changes.
    var declarations: [UInt64: [NodeDeclaration]] = [:]
    var changed: [UInt64: UInt32] = [:]

    init(id: PeerID, session: SessionID, lastSequence: UInt64) {
        self.id = id
        self.session = session
        self.lastSequence = lastSequence
    }

    var lastBeat: UInt64 = 0

    var creditUsed: Int {
        pending.count + silentCount
    }

    /// Visits and deliveries that count against a node's prefetch.
    func unansweredCount(_ node: UInt32) -> Int {
        open.count { $0.node == node } + (own[node]?.silentCount ?? 0)
    }

    /// Whether a new message was raised on this connection, after which no redelivery is permitted.
    var hasRaised: Bool {
        lastSequenceHere > 0
    }

    func subscribers(of name: EventName) -> [UInt32] {
        own.keys.filter { own[$0]?.subscriptions.contains(name) == true }
    }

    func path(_ node: UInt32) -> NodePath? {
        own[node]?.path ?? nodes[node]
    }
}

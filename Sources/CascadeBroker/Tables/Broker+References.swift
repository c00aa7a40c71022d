// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// References of records: places and sessions stay as long as a record needs them, a message is
/// charged as long as it is kept, and a peer is told the numbers that it is sent.
extension Broker {
    // MARK: - Messages

    /// Pins the records to which a message refers. Its payload is charged until it is released.
    @inline(__always)
    mutating func pin(_ message: Message) {
        pin(message.origin)
        charge(message.payload, to: message.origin.account)
    }

    /// Keeps the places and numbers that an origin is known by, until ``unpin(_:)``.
    @inline(__always)
    private mutating func pin(_ origin: Origin) {
        hierarchy[origin.node].pin()
        sessions.pin(origin.session)
    }

    @inline(__always)
    mutating func unpin(_ origin: Origin) {
        unpinNode(origin.node)
        unpinSession(origin.session)
    }

    /// Charges a message that is kept, until ``release(_:)``. One that is charged already stays
    /// with its account.
    @inline(__always)
    mutating func charge(_ payload: Payload, to account: AccountIndex) {
        if payload.chargedByteCount == 0, payload.count > 0 {
            payload.account = account
            payload.chargedByteCount = payload.count + Payload.recordByteCount
            accounts.chargeMessage(payload.chargedByteCount, to: account)
        }
    }

    /// Releases the charge for a message that the broker no longer keeps. Does nothing if the
    /// message is not charged.
    @inline(__always)
    mutating func release(_ payload: Payload?) {
        if let payload, payload.chargedByteCount > 0 {
            accounts.releaseMessage(payload.chargedByteCount, from: payload.account)
            payload.chargedByteCount = 0
        }
    }

    // MARK: - Places and sessions

    @inline(__always)
    mutating func unpinSession(_ session: SessionIndex) {
        if sessions.unpin(session) {
            peers.forgetSession(session)
        }
    }

    @inline(__always)
    mutating func unpinNode(_ node: NodeIndex, _ count: UInt32 = 1) {
        if hierarchy.unpin(node, count) {
            prune(node)
        }
    }

    /// Removes the place, and then its ancestors, if they are no longer needed.
    mutating func prune(_ node: NodeIndex) {
        guard hierarchy[node].isDispensable else {
            return
        }
        guard !hierarchy[node].links.isForeign else {
            removeForeign(node)
            return
        }
        for (removed, payer) in hierarchy.prune(node) {
            accounts.release(1, .nodes, from: payer)
            peers.forgetNode(removed)
            forgetSafety(removed)
            environment.forget(removed)
            _ = traffic.publications.subscribers.standIns.takeLeft(of: removed)
        }
    }

    // MARK: - Numbers of peers

    /// Introduces the numbers of the next header to the peer, if they are new to it.
    @inline(__always)
    mutating func introduce(
        to peer: PeerID, name: NameIndex = NameIndex.none, node: NodeIndex = NodeIndex.none,
        session: SessionIndex? = nil
    ) {
        let introduction = DefinedNumbers.Introduction(name: name, node: node, session: session)
        if peers[peer].numbers.lastIntroduced != introduction {
            defineNew(introduction, for: peer)
        }
    }

    private mutating func defineNew(_ introduction: DefinedNumbers.Introduction, for peer: PeerID) {
        if let news = peers[peer].numbers.learn(introduction) {
            define(news, for: peer)
        }
    }

    private mutating func define(_ news: DefinedNumbers.Introduction, for peer: PeerID) {
        var definitions: [Define.Definition] = []
        if let text = names.name(news.name) {
            names.markDefined(news.name)
            definitions.append(.name(number: news.name.number, text))
        }
        if news.node != NodeIndex.none {
            definitions.append(
                .node(number: news.node.number, hierarchy.path(of: news.node)))
        }
        if let session = news.session {
            definitions.append(.session(number: session.number, sessions.identity(session)))
        }
        send(Define(definitions), to: peer)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Outcomes on their way to the origin. Each is kept until it is known to have arrived.
extension Broker {
    /// Sends the outcome that consists of a header alone.
    @inline(__always)
    mutating func sendOutcome(_ origin: Origin, _ entry: UnconfirmedOutcomes.Entry) {
        guard peers.isGreeted(origin.peer) else {
            keepForDisconnected(origin, entry, nil)
            return
        }
        introduce(to: origin.peer, node: entry.node)
        turn.effects.append(.send(entry.header, to: origin.peer))
        release(peers[origin.peer].end(entry, limit: configuration.limits.credit))
    }

    mutating func sendOutcome(_ origin: Origin, _ ended: OutcomeMessage) {
        let message = ended.encoded()
        let entry = UnconfirmedOutcomes.Entry(ended.header, in: hierarchy)
        guard peers.isGreeted(origin.peer) else {
            keepForDisconnected(origin, entry, .message(message))
            return
        }
        peers[origin.peer].returnCredit()
        introduce(to: origin.peer, node: entry.node)
        turn.effects.append(.sendMessage(message, to: origin.peer))
        keep(entry, .message(message), to: origin.peer)
    }

    /// Sends the outcome of a request: this header and the payload, which is kept until the peer
    /// confirms the outcome.
    mutating func sendOutcome(_ peer: PeerID, _ header: Header, reply payload: Payload) {
        let entry = UnconfirmedOutcomes.Entry(header, in: hierarchy)
        peers[peer].returnCredit()
        introduce(to: peer, node: entry.node)
        forward(payload, header, to: peer)
        keep(entry, .reply(header, payload), to: peer)
    }

    mutating func keep(
        _ entry: UnconfirmedOutcomes.Entry, _ more: UnconfirmedOutcomes.More?, to peer: PeerID
    ) {
        let limit = configuration.limits.credit
        if let more {
            let byteLimit = configuration.limits.replyBytes
            for payload in peers[peer].keep(entry, more, limit: limit, byteLimit: byteLimit) {
                release(payload)
            }
        } else {
            release(peers[peer].keep(entry, limit: limit))
        }
    }

    private mutating func keepForDisconnected(
        _ origin: Origin, _ entry: UnconfirmedOutcomes.Entry, _ more: UnconfirmedOutcomes.More?
    ) {
        if let session = sessions.disconnected.id(of: origin.peer) {
            let limits = configuration.limits
            for payload in sessions.disconnected.keep(
                entry, more, of: session, limit: limits.credit, byteLimit: limits.replyBytes)
            {
                release(payload)
            }
        }
    }
}

extension UnconfirmedOutcomes.Entry {
    init(_ header: Header, in hierarchy: borrowing Hierarchy) {
        self.init(
            sequence: header.sequence, node: hierarchy.node(header.node) ?? NodeIndex.none,
            microseconds: header.time, responder: header.index,
            code: UInt8(truncatingIfNeeded: header.code))
    }

    /// The outcome, where this is all of it.
    var header: Header {
        Header(
            .outcome, index: responder, node: node.number, sequence: sequence, time: microseconds,
            code: UInt32(code))
    }
}

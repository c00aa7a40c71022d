// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import ZeroMQ

/// Receiving: a turn takes a bounded number of frames from the transports, and processes or keeps
/// each for a later turn.
extension BrokerShell {
    /// Frames received between two readings of the clock, which is also read after each new connection. It
    /// is also the number of frames of one ZeroMQ message that may be processed at once; the rest go to the
    /// backlog.
    private static let batch = 64
    /// Frames that may be received in one turn. libzmq delivers one whole message of each
    /// connection in turn, so that a large number reaches short messages between long ones sooner.
    private static let framesPerTurn = 4_096
    /// How long one turn may receive.
    private static let receivingNanoseconds: UInt64 = 1_000_000

    /// Takes events of the transports within the bounds of a turn. Returns whether there were more
    /// than that.
    mutating func receive() throws(ZeroMQError) -> Bool {
        receivedCount = 0
        let end = MonotonicClock.now() + Self.receivingNanoseconds
        var looksAtClock = false
        while receivedCount < Self.framesPerTurn,
            !looksAtClock || MonotonicClock.now() < end
        {
            guard let event = try transports.next(at: now) else {
                return false
            }
            switch event {
            case .frame(let peer, let frame, let number):
                receivedCount += 1
                looksAtClock = receivedCount % Self.batch == 0
                if peers.contains(peer) {
                    body.refer(to: frame)
                    received(number, from: peer)
                }
            case .connected(let peer):
                // It takes as long as many frames.
                looksAtClock = true
                connected(peer)
            case .disconnected(let peer):
                markDisconnected(peer)
            }
        }
        return true
    }

    /// A frame from a peer, whose bytes are in `body`.
    private mutating func received(_ number: Int, from peer: PeerID) {
        guard number > Self.batch else {
            processOrKeep(from: peer)
            return
        }
        let limit = broker.limits.framesPerMessage
        if number <= limit {
            keep(from: peer)
        } else {
            let sentence = "more than \(limit) frames in one message (limit framesPerMessage)"
            handle(.malformed(peer, WireError(sentence)))
        }
    }

    private mutating func processOrKeep(from peer: PeerID) {
        if !backlog.isEmpty, backlog.holds(peer) {
            keep(from: peer)
            return
        }
        let needs = body.needs
        if canProcess(needs, of: peer) {
            process(needs, from: peer)
        } else {
            keep(from: peer)
        }
    }

    private mutating func connected(_ peer: PeerID) {
        guard let identity = transports.identity(of: peer) else {
            return
        }
        let credentials = identity.credentials
        peers.insert(peer, of: credentials.owner, key: identity.key)
        log.connected(peer, credentials)
        handle(.connected(peer, credentials))
        let isWatched = processes.watch(
            peer, processID: credentials.processID, connection: identity.descriptor,
            acceptTime: identity.acceptTime)
        if !isWatched {
            handle(.unwatched(peer))
        }
    }

    /// Processes the message, and records how long that takes, if other users wait for it or if
    /// its time is bounded: reading the clock costs as much as a tenth of an event.
    mutating func process(_ needs: MessageNeeds, from peer: PeerID) {
        if needs.contains(.exits) {
            detectAllExits()
        }
        if needs.contains(.processFacts) {
            refreshProcessFacts()
        }
        let isBounded = needs.contains(.boundedTime)
        let hasOthers = peers.ownerCount > 1
        guard isBounded || hasOthers else {
            handBody(from: peer)
            return
        }
        let beginning = processingTime.begin()
        handBody(from: peer)
        let nanoseconds = processingTime.nanoseconds(since: beginning)
        if hasOthers, nanoseconds >= ProcessingTime.longNanoseconds {
            processingTime.recordLong(beginning, of: peers.owner(of: peer))
        }
        if isBounded {
            boundedNanoseconds += nanoseconds
        }
    }

    /// Hands the message to the broker, which may keep it.
    private mutating func handBody(from peer: PeerID) {
        receive(body, from: peer)
        if !isKnownUniquelyReferenced(&body) {
            body.keep(by: &transports)
            body = ReceivedPayload()
        } else if body.isKept {
            body = ReceivedPayload()
        }
    }
}

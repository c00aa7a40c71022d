// SPDX-License-Identifier: Apache-2.0

import CascadeSession
package import CascadeWire
import DequeModule

/// A message in one lane. An event that becomes an error keeps its ID.
struct MessageKey: Hashable, Sendable {
    var id: EventID
    var lane: Lane

    /// Half of the session's ID, which is random, and the number tell most keys apart; each message looks
    /// several up.
    func hash(into hasher: inout Hasher) {
        hasher.combine(id.session.low)
        hasher.combine(id.sequence)
    }
}

/// A message that has been raised above and has not ended there.
struct Crossing: Sendable {
    /// The visit at home that waits for the outcome; `nil` once nothing waits for it.
    var token: InvocationToken?
    /// Earlier visits of the same message, whose origin was lost below while they waited. They end as the last
    /// one does.
    var earlierTokens: [InvocationToken] = []
    /// When the last visit arrived.
    var arrivedAt: Duration
    /// The error as the site names it, in the lane of errors.
    var failure: Failure?
    /// Whether a node above that is lost with the message is skipped.
    var passesOnLoss = false
    /// The number of changes of `/` that had been sent when the message was raised.
    var changeCount = 0
    /// Whether the message was given up above. A later visit may have joined it.
    var isGivenUp = false
}

/// The messages that are under way above, by their IDs, and what is known of those that were given up.
struct Crossings: Sendable {
    /// What is known of a message that has been raised above, and for which nothing waits.
    enum Memory: Sendable {
        /// It has ended there.
        case ended(RemoteResult)
        /// Its outcome will not be known.
        case lost
    }

    /// How many messages are remembered, and for how long.
    static let memoryCountMax = 4_096
    static let memoryDuration = Duration.seconds(600)

    /// The messages by the numbers of their triggers.
    private var underWay: [UInt64: (key: MessageKey, crossing: Crossing)] = [:]
    private var tickets: [MessageKey: UInt64] = [:]
    private var memories: [MessageKey: (memory: Memory, at: Duration)] = [:]
    private var order: Deque<(key: MessageKey, at: Duration)> = []

    var count: Int {
        underWay.count
    }

    subscript(key: MessageKey) -> Crossing? {
        tickets[key].flatMap { underWay[$0]?.crossing }
    }

    func ticket(of token: InvocationToken) -> UInt64? {
        underWay.first { $0.value.crossing.token == token }?.key
    }

    mutating func insert(_ crossing: Crossing, _ key: MessageKey, ticket: UInt64) {
        underWay[ticket] = (key, crossing)
        tickets[key] = ticket
    }

    /// Lets another visit wait for the outcome of a message under way.
    mutating func join(_ key: MessageKey, _ visit: WaitingVisit) {
        guard let ticket = tickets[key], var crossing = underWay[ticket]?.crossing else {
            return
        }
        if let token = crossing.token {
            crossing.earlierTokens.append(token)
        }
        crossing.token = visit.token
        crossing.arrivedAt = visit.arrivedAt
        underWay[ticket] = (key, crossing)
    }

    /// The session above gives a message up.
    mutating func giveUp(ticket: UInt64) {
        underWay[ticket]?.crossing.isGivenUp = true
    }

    /// Lets no visit wait any longer, and returns those that did, in the order in which their messages were
    /// raised.
    mutating func release() -> [InvocationToken] {
        var tokens: [InvocationToken] = []
        for ticket in allTickets {
            guard let crossing = underWay[ticket]?.crossing else {
                continue
            }
            tokens += crossing.earlierTokens
            if let token = crossing.token {
                tokens.append(token)
            }
            underWay[ticket]?.crossing.token = nil
            underWay[ticket]?.crossing.earlierTokens = []
        }
        return tokens
    }

    /// Removes a message that has ended, by the number of its trigger.
    mutating func remove(ticket: UInt64) -> (key: MessageKey, crossing: Crossing)? {
        guard let entry = underWay.removeValue(forKey: ticket) else {
            return nil
        }
        tickets[entry.key] = nil
        return entry
    }

    /// The numbers of all triggers, in their order.
    var allTickets: [UInt64] {
        underWay.keys.sorted()
    }

    // MARK: - Memory

    mutating func remember(_ memory: Memory, of key: MessageKey, at now: Duration) {
        forgetOld(at: now)
        memories[key] = (memory, now)
        order.append((key, now))
    }

    /// Removes and returns what is known of a message whose visit is redelivered.
    mutating func recall(_ key: MessageKey, at now: Duration) -> Memory? {
        guard !memories.isEmpty else {
            return nil
        }
        forgetOld(at: now)
        return memories.removeValue(forKey: key)?.memory
    }

    private mutating func forgetOld(at now: Duration) {
        while let oldest = order.first,
            order.count >= Self.memoryCountMax || oldest.at + Self.memoryDuration <= now
        {
            order.removeFirst()
            // A later memory of the same message has its own place in the order.
            if memories[oldest.key]?.at == oldest.at {
                memories[oldest.key] = nil
            }
        }
    }
}

/// How many messages have ended beyond the border, by their outcomes there.
package struct CrossingOutcomes: Equatable, Sendable {
    package enum Direction: String, CaseIterable, Sendable {
        /// Events, errors, requests and cascades that went to the parent.
        case up
        /// Publications that came from the parent.
        case down
    }

    private var up = OutcomeCounts()
    private var down = OutcomeCounts()

    package init() {}

    package mutating func count(_ outcome: OutcomeCode, _ direction: Direction) {
        switch direction {
        case .up: up.add(outcome)
        case .down: down.add(outcome)
        }
    }

    package subscript(direction: Direction) -> OutcomeCounts {
        switch direction {
        case .up: up
        case .down: down
        }
    }
}

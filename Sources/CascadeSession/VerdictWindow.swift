// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// What this session's responders and subscriptions have answered last, so that an event that is
/// sent again is not worked on again.
///
/// Who passed is not among them: it may be asked again.
struct VerdictWindow: Sendable {
    /// One event at one responder.
    struct Key: Equatable, Sendable {
        /// Of two sessions that name the same ID, one of which has proved it, neither gets what was
        /// answered to the other.
        var session: SessionIdentity
        var sequence: UInt64
        /// The node's mailbox, which is the same wherever and as whatever number it stands.
        var mailbox: Int
        /// The responder's place; ``subscription`` for the node's subscription.
        var responder: UInt16

        static let subscription = UInt16.max
    }

    private static let countMax = 1024
    /// Bytes of all answers together that have any.
    private static let byteCountMax = 4 << 20

    // An entry without a result stands for `handled`, as most do.
    private var keys: Deque<Key> = []
    private var results: [UInt64: InvocationResult] = [:]
    private var byteCount = 0
    /// How many entries have gone.
    private var first: UInt64 = 0

    /// - Parameter isAgain: whether the event came again and its answer was no longer known. Many
    ///   that do must not push each other out, one before the other comes.
    mutating func insert(_ key: Key, _ result: InvocationResult, isAgain: Bool) {
        guard !isAgain || keys.count < Self.countMax else {
            return
        }
        switch result {
        case .passed:
            return
        case .handled:
            break
        case .answered, .replaced, .failed:
            guard result.byteCount <= Self.byteCountMax else {
                return
            }
            results[first + UInt64(keys.count)] = result
            byteCount += result.byteCount
        }
        keys.append(key)
        while keys.count > Self.countMax || byteCount > Self.byteCountMax {
            removeFirst()
        }
    }

    private mutating func removeFirst() {
        keys.removeFirst()
        if !results.isEmpty, let result = results.removeValue(forKey: first) {
            byteCount -= result.byteCount
        }
        first += 1
    }

    /// What was answered, if it is still known. It is rare that somebody asks.
    func result(_ key: Key) -> InvocationResult? {
        guard let place = keys.lastIndex(of: key) else {
            return nil
        }
        return results[first + UInt64(place)] ?? .handled
    }

    /// Another node stands where this one stood, with responders of its own.
    mutating func forget(_ mailbox: Int) {
        for place in keys.indices where keys[place].mailbox == mailbox {
            keys[place].mailbox = -1
        }
    }
}

extension InvocationResult {
    /// About how much memory it takes.
    fileprivate var byteCount: Int {
        switch self {
        case .passed, .handled: 0
        case .answered(let reply): reply.payload.count
        case .replaced(let raising): raising.payload.count
        case .failed(_, let reply): reply?.payload.count ?? 0
        }
    }
}

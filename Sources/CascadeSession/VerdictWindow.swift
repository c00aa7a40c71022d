// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The latest answers of this session's responders and subscriptions, which answer redelivered
/// messages.
///
/// Passed visits are not kept: their responders run again.
struct VerdictWindow: Sendable {
    /// One message at one responder.
    struct Key: Equatable, Sendable {
        /// The origin's session. Two sessions with the same ID, one of them proven, do not share
        /// answers.
        var session: SessionIdentity
        var sequence: UInt64
        /// The node's mailbox, which stays the same when the node moves or gets another number.
        var mailbox: Int
        /// The responder's index; ``subscription`` for the node's subscription.
        var responder: UInt16

        static let subscription = UInt16.max
    }

    private static let countMax = 1024
    /// The limit for the bytes of all answers together.
    private static let byteCountMax = 4 << 20

    // A key without a result stands for `handled`, the most frequent answer.
    private var keys: Deque<Key> = []
    private var results: [UInt64: InvocationResult] = [:]
    private var byteCount = 0
    /// The number of removed entries.
    private var first: UInt64 = 0

    /// Adds an answer.
    ///
    /// - Parameter isAgain: Whether the message was redelivered and its answer was unknown. Such an
    ///   answer does not displace others, so that many redeliveries do not displace each other.
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

    /// Returns the answer, if it is still known. Linear in the number of entries; redeliveries are
    /// rare.
    func result(_ key: Key) -> InvocationResult? {
        guard let place = keys.lastIndex(of: key) else {
            return nil
        }
        return results[first + UInt64(place)] ?? .handled
    }

    /// Drops the answers of a node whose place has a new node, with other responders.
    mutating func forget(_ mailbox: Int) {
        for place in keys.indices where keys[place].mailbox == mailbox {
            keys[place].mailbox = -1
        }
    }
}

extension InvocationResult {
    /// The approximate size in memory, in bytes.
    fileprivate var byteCount: Int {
        switch self {
        case .passed, .handled: 0
        case .answered(let reply): reply.payload.count
        case .replaced(let raising): raising.payload.count
        case .failed(_, let reply): reply?.payload.count ?? 0
        }
    }
}

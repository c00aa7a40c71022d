// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// Redelivered messages: an origin sends them again after its connection has broken. If the answer is
/// known, the session repeats it, and the responder does not run again.
extension Session {
    /// Returns the key of the visit's current stop; `nil` for an unacknowledged visit.
    private func key(_ slot: VisitSlot) -> VerdictWindow.Key? {
        guard slot.isAcknowledged, let session = slot.session else {
            return nil
        }
        return VerdictWindow.Key(
            session: session, sequence: slot.header.sequence, visitQueue: slot.visitQueue,
            responder: slot.isPublication
                ? VerdictWindow.Key.subscription : slot.stop.responder)
    }

    /// Stores an answer for redeliveries, even if its connection has broken. A failure caused by a
    /// cancellation is not stored.
    mutating func storeAnswer(_ slot: VisitSlot, _ result: InvocationResult) {
        if let key = key(slot), !slot.isCancellation(result) {
            verdicts.insert(key, result, isRedelivered: slot.header.flags.contains(.sentAgain))
        }
    }

    /// Answers a redelivery without its responder: by the known answer, or by the result of an earlier
    /// delivery that still runs. Returns `false` if the responder must run.
    mutating func reuseAnswer(for visit: UInt32) -> Bool {
        guard visits[visit].header.flags.contains(.sentAgain), let key = key(visits[visit]) else {
            return false
        }
        if let result = verdicts.result(key) {
            replays.append((visit, result))
            return true
        }
        let first = visits.firstRunning { index, slot in
            index != visit && slot.joined == nil && !slot.isCancelled && self.key(slot) == key
        }
        guard let first else {
            return false
        }
        visits[first].joined = visit
        return true
    }

    /// Ends the redeliveries that waited for this visit's result. After a cancelled visit, the next
    /// one runs.
    mutating func endJoined(
        _ slot: VisitSlot, _ result: InvocationResult, into effects: inout [SessionEffect]
    ) {
        var next = slot.joined
        while let joined = next {
            if slot.isCancellation(result), visits[joined].state == .running {
                invoke(joined, into: &effects)
                return
            }
            next = visits[joined].joined
            visits[joined].joined = nil
            end(joined, result, 0, into: &effects)
        }
    }

    /// Answers the redeliveries whose answer is known. It is a loop, not a recursion, because many may
    /// follow each other.
    mutating func replay(into effects: inout [SessionEffect]) {
        while !replays.isEmpty {
            let (visit, result) = replays.removeFirst()
            end(visit, result, 0, into: &effects)
        }
    }
}

extension VisitSlot {
    /// Whether the result is a failure caused by a cancellation.
    func isCancellation(_ result: InvocationResult) -> Bool {
        switch result {
        case .failed: isCancelled
        case .remote(let remote): isCancelled && remote.code == .failed
        case .passed, .handled, .answered, .replaced: false
        }
    }
}

// MARK: - Known answers

/// The latest answers of this session's responders and subscriptions, for redelivered messages.
///
/// The answer `passed` is not stored; its responder runs again.
struct VerdictWindow: Sendable {
    /// One message at one responder.
    struct Key: Equatable, Sendable {
        /// The origin's session. A proven and an unproven session with the same ID do not share answers.
        var session: SessionIdentity
        var sequence: UInt64
        /// The node's visit queue. It does not change when the node moves or gets another number.
        var visitQueue: Int
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
    /// - Parameter isRedelivered: Whether the message was redelivered, and its answer was unknown. Such
    ///   an answer is not stored in a full window: many redeliveries would displace each other's answers.
    mutating func insert(_ key: Key, _ result: InvocationResult, isRedelivered: Bool) {
        guard !isRedelivered || keys.count < Self.countMax else {
            return
        }
        switch result {
        case .passed:
            return
        case .remote(let remote) where remote.code == .passed:
            return
        case .handled:
            break
        case .answered, .replaced, .failed, .remote:
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

    /// Returns the answer; `nil` if it is not known. Linear in the number of entries, because
    /// redeliveries are rare.
    func result(_ key: Key) -> InvocationResult? {
        guard let index = keys.lastIndex(of: key) else {
            return nil
        }
        return results[first + UInt64(index)] ?? .handled
    }

    /// Removes the answers of the node that used a visit queue before, because the new node has other
    /// responders.
    mutating func removeAll(of visitQueue: Int) {
        for index in keys.indices where keys[index].visitQueue == visitQueue {
            keys[index].visitQueue = -1
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
        case .remote(let remote): (remote.reply?.payload.count ?? 0) + 64 * remote.end.trail.count
        case .failed(_, let reply): reply?.payload.count ?? 0
        }
    }
}

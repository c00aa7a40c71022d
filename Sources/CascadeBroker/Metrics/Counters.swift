// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Counters since the start of the broker.
struct Counters: Sendable {
    private(set) var triggered: UInt64 = 0
    private(set) var handled: UInt64 = 0
    private(set) var unhandled: UInt64 = 0
    private(set) var failed: UInt64 = 0
    private(set) var timedOut: UInt64 = 0
    private(set) var caught: UInt64 = 0
    private(set) var rejected: UInt64 = 0
    private(set) var looped: UInt64 = 0
    private(set) var cascaded: UInt64 = 0
    private(set) var published: UInt64 = 0
    private(set) var delivered: UInt64 = 0
    private(set) var noSubscriber: UInt64 = 0
    /// Retained values that went to subscribers that came later.
    private(set) var retainedGiven: UInt64 = 0
    /// Unacknowledged events that found no responder, or no room in its node's queue.
    private(set) var dropped: UInt64 = 0
    /// Of those, the ones that came when the daemon was about to end.
    private(set) var droppedStopping: UInt64 = 0
    private(set) var lateVerdicts: UInt64 = 0
    /// Durable events that were accepted, and outcomes of such that were forgotten unfetched.
    private(set) var durable: UInt64 = 0
    private(set) var durableForgotten: UInt64 = 0
    /// Stretches of the journal that could not be read, at the start or since.
    private(set) var journalDamaged: UInt64 = 0
    private(set) var refused: UInt64 = 0
    private(set) var violations: UInt64 = 0
    private(set) var nodesLost: UInt64 = 0

    /// The facts that are counted beside outcomes, each in the property of its name.
    enum Fact {
        case triggered, published, retainedGiven
        case dropped, droppedStopping
        case lateVerdicts
        case durable, durableForgotten
        case journalDamaged
        case refused, violations, nodesLost
    }

    mutating func count(_ fact: Fact, _ amount: UInt64 = 1) {
        switch fact {
        case .triggered: triggered += amount
        case .published: published += amount
        case .retainedGiven: retainedGiven += amount
        case .dropped: dropped += amount
        case .droppedStopping: droppedStopping += amount
        case .lateVerdicts: lateVerdicts += amount
        case .durable: durable += amount
        case .durableForgotten: durableForgotten += amount
        case .journalDamaged: journalDamaged += amount
        case .refused: refused += amount
        case .violations: violations += amount
        case .nodesLost: nodesLost += amount
        }
    }

    /// An event or a publication has ended.
    mutating func count(_ outcome: OutcomeCode) {
        switch outcome {
        case .handled: handled += 1
        case .unhandled: unhandled += 1
        case .failed: failed += 1
        case .timedOut: timedOut += 1
        case .delivered: delivered += 1
        case .noSubscriber: noSubscriber += 1
        case .caught: caught += 1
        case .rejected: rejected += 1
        case .looped: looped += 1
        case .cascaded: cascaded += 1
        }
    }

    /// How many events and publications ended how.
    var outcomes: [(OutcomeCode, UInt64)] {
        [
            (.handled, handled), (.unhandled, unhandled), (.failed, failed), (.timedOut, timedOut),
            (.caught, caught), (.rejected, rejected), (.looped, looped), (.cascaded, cascaded),
            (.delivered, delivered), (.noSubscriber, noSubscriber),
        ]
    }

    var named: [NamedNumber] {
        [
            NamedNumber("triggered", triggered),
            NamedNumber("handled", handled),
            NamedNumber("unhandled", unhandled),
            NamedNumber("failed", failed),
            NamedNumber("timedOut", timedOut),
            NamedNumber("caught", caught),
            NamedNumber("rejected", rejected),
            NamedNumber("looped", looped),
            NamedNumber("cascaded", cascaded),
            NamedNumber("published", published),
            NamedNumber("delivered", delivered),
            NamedNumber("noSubscriber", noSubscriber),
            NamedNumber("retainedGiven", retainedGiven),
            NamedNumber("dropped", dropped),
            NamedNumber("lateVerdicts", lateVerdicts),
            NamedNumber("durable", durable),
            NamedNumber("durableForgotten", durableForgotten),
            NamedNumber("journalDamaged", journalDamaged),
            NamedNumber("refused", refused),
            NamedNumber("violations", violations),
            NamedNumber("nodesLost", nodesLost),
        ]
    }
}

/// How long events took, as a histogram: each bucket reaches four times as far as the one before.
/// Counting one is a few instructions.
package struct EventTimes: Equatable, Sendable {
    /// Buckets from 4 microseconds to 67 seconds, and one for longer times.
    package static let bucketCount = 14

    /// How many events ended in each bucket, not in those before it.
    package private(set) var counts = [UInt64](repeating: 0, count: bucketCount)
    package private(set) var nanoseconds: UInt64 = 0

    package init() {}

    @inline(__always)
    package mutating func count(_ nanoseconds: UInt64) {
        counts[Self.bucket(nanoseconds)] += 1
        self.nanoseconds &+= nanoseconds
    }

    /// Returns the upper bound of a bucket in microseconds, inclusive; `nil` for the last.
    package static func microseconds(of bucket: Int) -> UInt64? {
        bucket + 1 < bucketCount ? 4 << (2 * UInt64(bucket)) : nil
    }

    private static func bucket(_ nanoseconds: UInt64) -> Int {
        guard nanoseconds > 4_000 else {
            return 0
        }
        // A duration within the bound has at most that number of whole microseconds.
        let microseconds = (nanoseconds - 1) / 1_000
        let bits = UInt64.bitWidth - microseconds.leadingZeroBitCount
        return min((bits - 1) / 2, bucketCount - 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The beginnings and ends of messages that a monitor wants.
struct MessageSteps: OptionSet, Sendable {
    let rawValue: UInt8

    private static let kinds: [MonitorEventKind] = [.event, .error, .publish]

    /// The steps that a filter admits. A monitor with trails gets a message at its end alone.
    init(_ filter: MonitorEventFilter, withTrails: Bool) {
        self = Self.kinds.reduce(into: []) { steps, kind in
            guard filter.contains(kind) else {
                return
            }
            steps.insert(.end(of: kind))
            if !withTrails {
                steps.insert(.beginning(of: kind))
            }
        }
    }

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// - Parameter lane: The lane in which the message was raised; `nil` for a publication.
    @inline(__always)
    static func beginning(of lane: Lane?) -> Self {
        beginning(of: kind(of: lane))
    }

    @inline(__always)
    static func end(of lane: Lane?) -> Self {
        end(of: kind(of: lane))
    }

    private static func beginning(of kind: MonitorEventKind) -> Self {
        Self(rawValue: 1 << kind.rawValue)
    }

    private static func end(of kind: MonitorEventKind) -> Self {
        Self(rawValue: 16 << kind.rawValue)
    }

    private static func kind(of lane: Lane?) -> MonitorEventKind {
        switch lane {
        case nil: .publish
        case .error: .error
        case .event, .request, .cascade: .event
        }
    }
}

/// The bound on the messages that a monitor gets in a second, and the count of those left out.
///
/// A second has ten equal parts, so that a burst does not use up the whole of it. Of each part, at least half
/// is for messages that were not handled or delivered.
struct MonitorBudget: Sendable {
    /// The numbers of messages that were left out: of those that ended, by outcome, and of those that had
    /// just been raised.
    struct LeftOut: Sendable {
        private var begun: UInt64 = 0
        private var ended = OutcomeCounts()

        var count: UInt64 {
            begun + ended.total
        }

        fileprivate mutating func add(_ count: UInt64, _ outcome: OutcomeCode?) {
            if let outcome {
                ended.add(outcome, count: count)
            } else {
                begun += count
            }
        }

        var json: JSONValue {
            let members = ended.all.map { outcome, count in
                JSONValue.Member(key: outcome.name, value: .integer(count))
            }
            let first = begun == 0 ? [] : [JSONValue.Member(key: "begun", value: .integer(begun))]
            return .object(first + members)
        }
    }

    private static let partsPerSecond: UInt64 = 10
    private static let partNanoseconds = 1_000_000_000 / partsPerSecond

    private let perSecond: UInt64
    /// The number of the part of a second, counted from the zero of the broker's clock.
    private var part: UInt64 = 0
    private var sentCount: UInt64 = 0
    private var sentExpectedCount: UInt64 = 0
    private var leftOut: LeftOut?

    init(perSecond: UInt32) {
        self.perSecond = UInt64(perSecond)
    }

    /// Whether the monitor may get a message with this outcome; `nil` for one that has just been raised.
    mutating func allows(_ outcome: OutcomeCode?, at now: Instant) -> Bool {
        let part = now.nanoseconds / Self.partNanoseconds
        if part != self.part {
            self.part = part
            sentCount = 0
            sentExpectedCount = 0
        }
        let size = size(ofPart: part % Self.partsPerSecond)
        let isHalfUsed = sentExpectedCount >= (size + 1) / 2
        return sentCount < size && !(Self.isExpected(outcome) && isHalfUsed)
    }

    /// The parts of a second add up to the bound exactly.
    private func size(ofPart part: UInt64) -> UInt64 {
        perSecond * (part + 1) / Self.partsPerSecond - perSecond * part / Self.partsPerSecond
    }

    /// Counts a message that the budget allows and the monitor gets.
    mutating func spend(for outcome: OutcomeCode?) {
        sentCount += 1
        if Self.isExpected(outcome) {
            sentExpectedCount += 1
        }
    }

    mutating func leaveOut(_ outcome: OutcomeCode?, count: UInt64) {
        if leftOut == nil {
            leftOut = LeftOut()
        }
        leftOut?.add(count, outcome)
    }

    /// When the part of a second ends that an instant is in.
    static func end(ofPartWith instant: Instant) -> Instant {
        Instant(nanoseconds: (instant.nanoseconds / partNanoseconds + 1) * partNanoseconds)
    }

    mutating func takeLeftOut() -> LeftOut? {
        defer { leftOut = nil }
        return leftOut
    }

    private static func isExpected(_ outcome: OutcomeCode?) -> Bool {
        switch outcome {
        case nil, .handled, .delivered, .cascaded: true
        case .unhandled, .failed, .timedOut, .noSubscriber, .caught, .rejected, .looped: false
        }
    }
}

/// Steps of messages in a row that are left out for all monitors that want them. Until the end of a part of a
/// second no budget grows, so that the next one of the same kind and outcome is left out without a look at the
/// monitors.
struct LeftOutRun: Sendable {
    let step: MessageSteps
    let outcome: OutcomeCode?
    /// When a budget may allow one again.
    let end: Instant
    private(set) var count: UInt64 = 1

    init(_ step: MessageSteps, _ outcome: OutcomeCode?, at now: Instant) {
        self.step = step
        self.outcome = outcome
        end = MonitorBudget.end(ofPartWith: now)
    }

    /// Counts one more step, if it belongs to the run. Returns whether it does.
    @inline(__always)
    mutating func extend(_ step: MessageSteps, _ outcome: OutcomeCode?, at now: Instant) -> Bool {
        guard self.step == step, self.outcome == outcome, now < end else {
            return false
        }
        count += 1
        return true
    }
}

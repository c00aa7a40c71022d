// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The messages that ended of late. Those that ended otherwise than expected stay longer: they come before
/// the others when not all can be kept or told.
struct EndedMessages: Sendable {
    /// The number of messages that are kept.
    static let countMax = 2_000
    /// The number of messages that ended as expected which a page is told at the beginning, unless others
    /// take their place.
    static let firstCountMax = 400
    /// The number of those that a page is told at the beginning in any case, if there are as many.
    static let firstExpectedCountMin = 100

    /// A message with the version in which it came, in the text that frames and recordings have.
    struct Message: Sendable {
        let version: UInt64
        let text: String
    }

    /// The messages that ended as expected; the oldest first.
    private var expected: Deque<Message> = []
    /// The messages that were unhandled, failed, looped, rejected or caught; the oldest first.
    private var unexpected: Deque<Message> = []

    var count: Int {
        expected.count + unexpected.count
    }

    mutating func append(_ message: Message, _ outcome: OutcomeCode?) {
        if Self.isExpected(outcome) {
            expected.append(message)
        } else {
            unexpected.append(message)
        }
        guard count > Self.countMax else {
            return
        }
        if unexpected.count > Self.countMax / 2 {
            unexpected.removeFirst()
        } else {
            expected.removeFirst()
        }
    }

    /// What a page that knows nothing is told: the newest failures, and the newest of the others.
    var first: [Message] {
        let failures = unexpected.suffix(Self.firstCountMax)
        let room = max(Self.firstExpectedCountMin, Self.firstCountMax - failures.count)
        return Array(failures) + expected.suffix(room)
    }

    /// What has ended after a version.
    func after(_ version: UInt64) -> [Message] {
        [unexpected, expected].flatMap { list in
            list.reversed().prefix { $0.version > version }.reversed()
        }
    }

    /// Whether a message ended as most do. A bus tells a monitor at most half as many of these as it may
    /// tell. An outcome that this release does not know is not expected.
    private static func isExpected(_ outcome: OutcomeCode?) -> Bool {
        switch outcome {
        case .handled, .delivered, .cascaded: true
        case nil, .unhandled, .failed, .timedOut, .noSubscriber, .caught, .rejected, .looped: false
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import DequeModule

/// The receiver's half of a link: which message comes next, which ones wait for room, and which
/// acknowledgement and requests are due.
struct IncomingOrder: Sendable {
    /// A message in order whose frames the owner has no room for yet.
    struct Waiting: Sendable {
        var bytes: [UInt8]
        var frames: [LinkMessage.Frame]
    }

    enum Arrival: Equatable {
        /// The message is the next one, and its frames are handed over.
        case taken
        /// The message is the next one, and waits.
        case waits
        /// The message has come before.
        case repeated
        /// At least one message before it is missing.
        case gap(isToBeRequested: Bool)
    }

    private let settings: LinkSettings

    /// The greatest sequence whose frames the owner has.
    private(set) var taken: UInt64 = 0
    /// The greatest sequence that has come in order.
    private(set) var received: UInt64 = 0
    private var waiting: Deque<Waiting> = []
    private var waitingByteCount = 0
    /// Whether the owner has no room.
    var isPaused = false

    /// The messages and bytes that are taken since the last acknowledgement.
    private var unacknowledgedCount = 0
    private var unacknowledgedByteCount = 0
    /// When an acknowledgement is due; `nil` while there is nothing to acknowledge.
    private(set) var acknowledgeAt: Duration?
    private var lastRequest: (sequence: UInt64, time: Duration)?

    init(_ settings: LinkSettings) {
        self.settings = settings
    }

    // MARK: - Arrival

    /// Sorts a message. Throws ``LinkFault`` if the messages that wait exceed the window.
    mutating func receive(
        _ sequence: UInt64, _ bytes: [UInt8], _ frames: [LinkMessage.Frame], at now: Duration
    ) throws(LinkFault) -> Arrival {
        guard sequence > received else {
            // The acknowledgement may have been lost.
            acknowledgeAt = acknowledgeAt ?? now + LinkSettings.acknowledgementDelay
            return .repeated
        }
        guard sequence == received + 1 else {
            return .gap(isToBeRequested: requests(at: now))
        }
        received = sequence
        lastRequest = nil
        guard !isPaused else {
            waiting.append(Waiting(bytes: bytes, frames: frames))
            waitingByteCount += bytes.count
            guard waiting.count == 1 || waitingByteCount <= settings.window else {
                throw .windowOverrun(byteCount: waitingByteCount, window: settings.window)
            }
            return .waits
        }
        take(byteCount: bytes.count, at: now)
        return .taken
    }

    /// Returns whether the missing message is to be requested: once at once, and then each second.
    private mutating func requests(at now: Duration) -> Bool {
        if let last = lastRequest, last.sequence == received,
            now - last.time < LinkSettings.retryInterval
        {
            return false
        }
        lastRequest = (received, now)
        return true
    }

    /// Returns the next message that waits, which the owner now has room for.
    mutating func takeWaiting(at now: Duration) -> Waiting? {
        guard let next = waiting.popFirst() else {
            return nil
        }
        waitingByteCount -= next.bytes.count
        take(byteCount: next.bytes.count, at: now)
        return next
    }

    var hasWaiting: Bool {
        !waiting.isEmpty
    }

    private mutating func take(byteCount: Int, at now: Duration) {
        taken += 1
        unacknowledgedCount += 1
        unacknowledgedByteCount += byteCount
        let isMuch =
            unacknowledgedCount >= LinkSettings.acknowledgedCount
            || unacknowledgedByteCount >= settings.acknowledgedByteCount
        let due =
            now + (isMuch ? LinkSettings.shortDelay : LinkSettings.acknowledgementDelay)
        acknowledgeAt = min(acknowledgeAt ?? due, due)
    }

    // MARK: - Acknowledgement

    /// Whether so much is taken that an acknowledgement must be published at once.
    var isAcknowledgementUrgent: Bool {
        unacknowledgedByteCount >= settings.urgentByteCount
    }

    /// Records that a message with the acknowledgement ``taken`` was published.
    mutating func recordAcknowledgement() {
        unacknowledgedCount = 0
        unacknowledgedByteCount = 0
        acknowledgeAt = nil
    }
}

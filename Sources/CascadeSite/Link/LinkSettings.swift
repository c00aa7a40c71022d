// SPDX-License-Identifier: Apache-2.0

/// The sizes and times of one link. Both sides have the same sizes, from the gate's answer; each side
/// has a patience of its own.
package struct LinkSettings: Equatable, Sendable {
    /// The unacknowledged bytes that each side may send.
    package let window: Int
    /// The largest frame, in bytes.
    package let maximum: Int
    /// The silence of the other side after which the link ends.
    package let patience: Duration

    package init(window: Int, maximum: Int, patience: Duration = defaultPatience) {
        self.window = window
        self.maximum = maximum
        self.patience = patience
    }

    package static let defaultPatience = Duration.seconds(5)

    // MARK: - Windows and frames

    /// The windows that a gate grants.
    package static let windowRange = 65_536...4_194_304
    /// The windows that a child accepts.
    package static let acceptedWindowRange = 65_536...67_108_864
    /// The windows of all children together.
    package static let sharedWindow = 50_331_648
    /// The part of the server's `max_payload` that is not available to a frame.
    package static let payloadReserve = 4_096
    /// The values of `maximum` that a child accepts.
    package static let maximumRange = 1_024...67_108_864

    /// Returns the window of each of `childCount` children.
    package static func window(childCount: Int) -> Int {
        let share = sharedWindow / max(1, childCount)
        return min(max(share, windowRange.lowerBound), windowRange.upperBound)
    }

    // MARK: - Acknowledgement

    /// The number of messages after which an acknowledgement is due soon.
    static let acknowledgedCount = 64
    /// The time after which an acknowledgement is due at the latest.
    static let acknowledgementDelay = Duration.milliseconds(200)
    /// The time after which many messages or bytes are acknowledged. Frames that answer them are usually sent
    /// within it, and carry the acknowledgement.
    static let shortDelay = Duration.milliseconds(2)
    /// The time without a publication after which a side publishes a keep-alive. It is longer than the second
    /// between two beats of the bus, so that on an idle link the beats and their answers serve as
    /// keep-alives.
    static let keepAliveInterval = Duration.milliseconds(1_250)
    /// The time without an acknowledgement after which a message is published again.
    static let retryInterval = Duration.seconds(1)
    static let retryIntervalMax = Duration.seconds(8)

    /// The largest message with more than one frame: never larger than the message of the largest frame,
    /// which the server accepts.
    var sharedByteCountMax: Int {
        min(
            LinkMessage.sharedByteCountMax,
            LinkMessage.headerByteCount + LinkMessage.lengthByteCount + maximum)
    }

    /// The bytes after which an acknowledgement is due soon: the smallest flight, or a fourth of a small
    /// window.
    var acknowledgedByteCount: Int {
        min(Self.flightByteCountMin, window / 4)
    }

    /// The bytes after which an acknowledgement is published at once, so that a sender whose window fills
    /// waits for no timer.
    var urgentByteCount: Int {
        window / 4
    }

    // MARK: - Flight

    /// The bytes that may always be under way, and before the first acknowledgement. A line of 64 kbit/s
    /// carries them in a second.
    static let flightByteCountMin = 8_192
    /// The growth of a flight per acknowledgement once it is known what a line carries.
    static let flightGrowthMax = 32_768
    /// The time beyond the shortest one of an acknowledgement above which a flight shrinks, and below half of
    /// which it may grow.
    static let queueDelayMax = Duration.seconds(1)
}

/// What a link does with a frame that is too long.
package enum LongFrameRule: Equatable, Sendable {
    case refuse
    /// Sends the first part of the frame in its place, so that the other side learns what it cannot receive.
    case sendFirstPart
}

/// What a link did with a frame that its owner sent.
package enum LinkAcceptance: Equatable, Sendable {
    case accepted
    /// The window is full. The owner keeps the frame and reads no more from its side until
    /// ``LinkEffect/room``.
    case full
    /// The frame exceeds the maximum, and no link can carry it.
    case tooLong
}

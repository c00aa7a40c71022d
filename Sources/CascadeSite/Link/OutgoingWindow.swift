// SPDX-License-Identifier: Apache-2.0

import DequeModule

/// The sender's half of a link: the frames that are not acknowledged yet, in the messages that carry
/// them, and how many of these are published.
///
/// A message keeps its frames and its sequence for good; only the acknowledgement in its header is that
/// of its latest publication.
struct OutgoingWindow: Sendable {
    private struct Outgoing {
        var bytes: [UInt8]
        var firstPublished: Duration?
        var isRepeated = false
    }

    private let settings: LinkSettings

    /// The message that still takes frames, its header not yet written; empty for none.
    private var batch: [UInt8] = []
    /// The bytes of the previous batch, which are reserved for the next one.
    private var batchByteCount = 0
    /// The unacknowledged messages, the oldest first.
    private var messages: Deque<Outgoing> = []
    /// The sequence of the first one of ``messages``.
    private var firstSequence = LinkMessage.firstSequence
    /// The number and the bytes of the first ``messages`` that are published since the last rewind.
    private var publishedCount = 0
    private var publishedByteCount = 0
    /// The greatest sequence that was ever published.
    private var lastPublishedSequence: UInt64 = 0

    /// The unacknowledged bytes, those of ``batch`` included.
    private(set) var byteCount = 0
    /// The bytes that the refused frame needs; `nil` if none was refused since the last announcement.
    private var refusedByteCount: Int?

    /// The bytes that may be published before an acknowledgement comes.
    private var flightByteCountMax = LinkSettings.flightByteCountMin
    /// The flight up to which it grows fast: half of the bytes that were under way when it shrank last.
    private var fastByteCountMax = Int.max
    /// Whether acknowledgements have shown that the line is slow, and not that it is fast since.
    private var isSlow = false
    /// The flight shrinks once for all messages below this sequence.
    private var shrinksFrom: UInt64 = 0
    /// The shortest time from a publication to its acknowledgement since the transport connected.
    private var shortestTime: Duration?
    /// When the oldest message is published again; `nil` while none is published.
    private(set) var retryAt: Duration?
    private var retryCount = 0
    private var lastRewind: (sequence: UInt64, time: Duration)?
    /// The smoothed time from a publication to its acknowledgement.
    private var acknowledgementTime = Duration.zero
    /// The least time of the latest acknowledgements: without the delay of those that waited for frames.
    private(set) var roundTrip: Duration?

    init(_ settings: LinkSettings, roundTrip: Duration?) {
        self.settings = settings
        self.roundTrip = roundTrip
    }

    var isEmpty: Bool {
        byteCount == 0
    }

    // MARK: - Frames

    /// Adds a frame to the message under construction, or to a new one.
    mutating func append(
        _ frame: [UInt8], ifTooLong rule: LongFrameRule
    ) -> LinkAcceptance {
        let isTooLong = frame.count > settings.maximum
        guard !isTooLong || rule == .sendFirstPart else {
            return .tooLong
        }
        let needed = LinkMessage.lengthByteCount + min(frame.count, settings.maximum)
        let isShared = !batch.isEmpty && batch.count + needed <= sharedByteCountMax
        let added = needed + (isShared ? 0 : LinkMessage.headerByteCount)
        guard isEmpty || byteCount + added <= acceptedByteCountMax else {
            refusedByteCount = needed + LinkMessage.headerByteCount
            return .full
        }
        if !isShared {
            closeBatch()
            batch.reserveCapacity(max(batchByteCount, LinkMessage.headerByteCount + needed))
            batch.append(contentsOf: repeatElement(0, count: LinkMessage.headerByteCount))
        }
        if isTooLong {
            LinkMessage.appendPart(of: frame, maximum: settings.maximum, to: &batch)
        } else {
            LinkMessage.append(frame, to: &batch)
        }
        byteCount += added
        return .accepted
    }

    /// The largest message with more than one frame. The other side hears nothing while a slow line carries a
    /// message.
    private var sharedByteCountMax: Int {
        min(
            settings.sharedByteCountMax,
            max(flightByteCountMax, LinkSettings.flightByteCountMin) / 2)
    }

    /// The unacknowledged bytes beyond which frames are refused: the window, or less as long as the line has
    /// not shown that it carries them. What a slow line cannot carry waits at the sender's side, where
    /// deadlines count.
    private var acceptedByteCountMax: Int {
        let (several, isUnlimited) = flightByteCountMax.multipliedReportingOverflow(
            by: isSlow ? 2 : 4)
        guard !isUnlimited else {
            return settings.window
        }
        return min(
            settings.window,
            isSlow ? several : max(several, LinkSettings.windowRange.lowerBound))
    }

    /// Completes the message under construction.
    mutating func closeBatch() {
        if !batch.isEmpty {
            batchByteCount = batch.count
            messages.append(Outgoing(bytes: batch))
            batch = []
        }
    }

    /// Returns whether the refused frame has room now. Returns `true` once for each refused frame.
    mutating func announcesRoom() -> Bool {
        guard let needed = refusedByteCount,
            isEmpty || byteCount + needed <= acceptedByteCountMax
        else {
            return false
        }
        refusedByteCount = nil
        return true
    }

    // MARK: - Publication

    /// Returns the next message to publish at `now`, with the acknowledgement `taken`; `nil` for none.
    mutating func nextPublication(taken: UInt64, at now: Duration) -> [UInt8]? {
        guard publishedCount < messages.count, publishedByteCount < flightByteCountMax else {
            return nil
        }
        let sequence = firstSequence + UInt64(publishedCount)
        LinkMessage.writeHeader(
            sequence: sequence, taken: taken, into: &messages[publishedCount].bytes)
        if messages[publishedCount].firstPublished == nil {
            messages[publishedCount].firstPublished = now
        } else {
            messages[publishedCount].isRepeated = true
        }
        let bytes = messages[publishedCount].bytes
        publishedCount += 1
        publishedByteCount += bytes.count
        lastPublishedSequence = max(lastPublishedSequence, sequence)
        if retryAt == nil {
            retryAt = now + retryInterval
        }
        return bytes
    }

    /// Removes the messages up to `taken`. Throws ``LinkFault`` if one of them was never published.
    mutating func acknowledge(_ taken: UInt64, at now: Duration) throws(LinkFault) {
        guard taken <= lastPublishedSequence else {
            throw .acknowledgedBeyondEnd(taken: taken, last: lastPublishedSequence)
        }
        guard taken >= firstSequence else {
            return
        }
        let (byteCountBefore, publishedBefore) = (byteCount, publishedByteCount)
        var newest: Outgoing?
        while firstSequence <= taken, let message = messages.popFirst() {
            newest = message
            byteCount -= message.bytes.count
            firstSequence += 1
            if publishedCount > 0 {
                publishedCount -= 1
                publishedByteCount -= message.bytes.count
            }
        }
        let time = newest.flatMap { sample($0, at: now) }
        retryCount = 0
        retryAt = publishedCount > 0 ? now + retryInterval : nil
        adaptFlight(
            to: time, acknowledged: byteCountBefore - byteCount, of: publishedBefore, upTo: taken)
    }

    /// Takes the time from the publication of a message to its acknowledgement into account. Returns it, or
    /// `nil` for a message that was published again: it is not known which one was acknowledged.
    private mutating func sample(_ message: Outgoing, at now: Duration) -> Duration? {
        guard let published = message.firstPublished, !message.isRepeated else {
            return nil
        }
        let time = now - published
        acknowledgementTime =
            acknowledgementTime == .zero
            ? time : acknowledgementTime.moved(towards: time, byOneOf: 8)
        shortestTime = min(shortestTime ?? time, time)
        // A longer time counts a little, so that a lasting change of the route is noticed.
        roundTrip = roundTrip.map { min(time, $0.moved(towards: time, byOneOf: 16)) } ?? time
        return time
    }

    // MARK: - Flight

    /// Shrinks the flight if messages queue on the line, and grows it if half of it was used and the line is
    /// not late.
    private mutating func adaptFlight(
        to time: Duration?, acknowledged: Int, of publishedByteCount: Int, upTo taken: UInt64
    ) {
        if let time, let shortestTime {
            let delay = time - shortestTime
            if delay > LinkSettings.queueDelayMax {
                shrinkFlight(from: publishedByteCount, upTo: taken)
                return
            }
            guard delay <= LinkSettings.queueDelayMax / 2 else {
                return
            }
        }
        if publishedByteCount >= flightByteCountMax / 2 {
            growFlight(by: acknowledged)
        }
    }

    /// Halves the flight, once for all that is under way.
    private mutating func shrinkFlight(from publishedByteCount: Int, upTo taken: UInt64) {
        guard taken >= shrinksFrom else {
            return
        }
        shrinksFrom = lastPublishedSequence + 1
        isSlow = true
        flightByteCountMax = max(
            min(flightByteCountMax, publishedByteCount) / 2, settings.acknowledgedByteCount)
        fastByteCountMax = flightByteCountMax
    }

    /// Grows the flight by the acknowledged bytes, and above ``fastByteCountMax`` by at most
    /// ``LinkSettings/flightGrowthMax``.
    private mutating func growFlight(by acknowledgedByteCount: Int) {
        guard flightByteCountMax < settings.window else {
            flightByteCountMax = .max
            isSlow = false
            return
        }
        let isFast = flightByteCountMax < fastByteCountMax
        let growth =
            isFast
            ? acknowledgedByteCount : min(acknowledgedByteCount, LinkSettings.flightGrowthMax)
        flightByteCountMax = max(flightByteCountMax + growth, settings.acknowledgedByteCount)
    }

    // MARK: - Sending again

    /// The time without an acknowledgement after which the oldest message is published again. It grows
    /// with each repetition and with the usual time of an acknowledgement.
    private var retryInterval: Duration {
        let base = max(
            LinkSettings.retryInterval, acknowledgementTime + acknowledgementTime, carryingTime)
        guard retryCount > 0 else {
            return base
        }
        return min(base * (1 << min(retryCount, 4)), max(LinkSettings.retryIntervalMax, base))
    }

    /// The time in which a slow line carries the oldest message; zero if the line has shown to be fast.
    private var carryingTime: Duration {
        guard acknowledgementTime == .zero || acknowledgementTime > LinkSettings.queueDelayMax / 2
        else {
            return .zero
        }
        let seconds = (messages.first?.bytes.count ?? 0) / LinkSettings.flightByteCountMin
        return min(.seconds(seconds + 1), LinkSettings.retryIntervalMax / 2)
    }

    /// Publishes everything again, as on a new connection: what an earlier one carried may be lost.
    mutating func rewind() {
        shortestTime = nil
        fastByteCountMax = max(publishedByteCount / 2, settings.acknowledgedByteCount)
        publishedCount = 0
        publishedByteCount = 0
        retryAt = nil
        flightByteCountMax = settings.acknowledgedByteCount
    }

    /// Publishes everything again, because the other side misses the oldest message. A second request
    /// for the same message is ignored until it can be the answer to the first repetition.
    mutating func rewindOnRequest(at now: Duration) {
        if let last = lastRewind, last.sequence == firstSequence,
            now - last.time < LinkSettings.acknowledgementDelay
        {
            return
        }
        lastRewind = (firstSequence, now)
        rewind()
    }

    /// Publishes the oldest message again, and nothing after it before its acknowledgement: the other
    /// side may be slow or full instead of having lost it.
    mutating func retry() {
        retryCount += 1
        rewind()
        flightByteCountMax = 1
    }
}

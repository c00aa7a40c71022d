// SPDX-License-Identifier: Apache-2.0

/// An action that the owner of a link must perform, in order.
package enum LinkEffect: Equatable, Sendable {
    /// Publish a message on the link's subject.
    case publish([UInt8])
    /// Pass a frame to this side. When the effect is performed, the frame counts as taken.
    case deliver(ArraySlice<UInt8>)
    /// Refuse a frame of `byteCount` bytes, which is longer than a link can carry. This is its first
    /// part.
    case refusePart(ArraySlice<UInt8>, byteCount: Int)
    /// The frame that was refused as ``LinkAcceptance/full`` has room.
    case room
    /// The link has ended. Nothing follows.
    case ended(LinkEnd)
}

/// One end of an open link, as a state machine: frames from one side to the other, each once and in
/// order, over a transport that may lose, repeat, delay and reorder messages.
///
/// Both ends are the same. A link has no subject, clock or connection: the owner publishes its messages,
/// passes those that come for it, and calls ``timePassed(at:into:)`` when its ``deadline`` has come.
/// `now` is the time since any moment that the owner keeps. A link outlives the transport's connections:
/// what is not acknowledged is kept, within the window, and sent again.
package struct Link: Sendable {
    package let settings: LinkSettings
    private var outgoing: OutgoingWindow
    private var incoming: IncomingOrder
    /// Whether the transport has a connection.
    private var isConnected: Bool
    /// When a message of the other side came last.
    package private(set) var lastHeard: Duration
    private var lastPublished: Duration
    /// Why the link has ended; `nil` while it has not.
    package private(set) var end: LinkEnd?

    /// Creates the end of an open link. `roundTrip` is what the opening has measured.
    package init(
        _ settings: LinkSettings, isConnected: Bool = true, roundTrip: Duration? = nil,
        at now: Duration
    ) {
        self.settings = settings
        outgoing = OutgoingWindow(settings, roundTrip: roundTrip)
        incoming = IncomingOrder(settings)
        self.isConnected = isConnected
        lastHeard = now
        lastPublished = now
    }

    /// The bytes that this side has sent and the other side has not acknowledged.
    package var unacknowledgedByteCount: Int {
        outgoing.byteCount
    }

    /// The time that a message and its acknowledgement take; `nil` before it was measured.
    package var roundTrip: Duration? {
        outgoing.roundTrip
    }

    /// The sequence of the last message whose frames were delivered.
    package var takenSequence: UInt64 {
        incoming.taken
    }

    /// Whether frames of the other side have come.
    var hasReceivedFrames: Bool {
        incoming.received > 0
    }

    // MARK: - Sending

    /// Accepts a frame to send. It is published by ``flush(at:into:)`` at the latest; frames before
    /// that share messages.
    package mutating func send(
        _ frame: [UInt8], ifTooLong rule: LongFrameRule = .refuse
    ) -> LinkAcceptance {
        end == nil ? outgoing.append(frame, ifTooLong: rule) : .accepted
    }

    /// Publishes the frames that were accepted. The owner calls it at the end of each of its turns.
    package mutating func flush(at now: Duration, into effects: inout [LinkEffect]) {
        outgoing.closeBatch()
        publish(at: now, into: &effects)
    }

    private mutating func publish(at now: Duration, into effects: inout [LinkEffect]) {
        guard end == nil, isConnected else {
            return
        }
        while let message = outgoing.nextPublication(taken: incoming.taken, at: now) {
            append(message, at: now, into: &effects)
        }
        if incoming.isAcknowledgementUrgent {
            publish(.acknowledgement, at: now, into: &effects)
        }
    }

    private mutating func publish(
        _ control: LinkMessage.Control, at now: Duration, into effects: inout [LinkEffect]
    ) {
        guard isConnected else {
            return
        }
        append(LinkMessage.encoded(control, taken: incoming.taken), at: now, into: &effects)
    }

    private mutating func append(
        _ message: [UInt8], at now: Duration, into effects: inout [LinkEffect]
    ) {
        effects.append(.publish(message))
        incoming.recordAcknowledgement()
        lastPublished = now
    }

    // MARK: - Receiving

    /// Processes a message of the other side. Bytes that are not a valid message end the link.
    package mutating func received(
        _ message: [UInt8], at now: Duration, into effects: inout [LinkEffect]
    ) {
        guard end == nil else {
            return
        }
        do throws(LinkFault) {
            try process(message, at: now, into: &effects)
        } catch {
            finish(.fault(error), sending: error.description, at: now, into: &effects)
        }
    }

    private mutating func process(
        _ bytes: [UInt8], at now: Duration, into effects: inout [LinkEffect]
    ) throws(LinkFault) {
        let message = try LinkMessage(parsing: bytes, maximum: settings.maximum)
        lastHeard = now
        try outgoing.acknowledge(message.taken, at: now)
        switch message.body {
        case .frames(let frames):
            try receive(message.sequence, bytes, frames, at: now, into: &effects)
        case .control(.acknowledgement):
            break
        case .control(.again):
            outgoing.rewindOnRequest(at: now)
        case .control(.close(let reason)):
            finish(.closedByPeer(reason), sending: nil, at: now, into: &effects)
            return
        }
        publish(at: now, into: &effects)
        if outgoing.announcesRoom() {
            effects.append(.room)
        }
    }

    private mutating func receive(
        _ sequence: UInt64, _ bytes: [UInt8], _ frames: [LinkMessage.Frame], at now: Duration,
        into effects: inout [LinkEffect]
    ) throws(LinkFault) {
        switch try incoming.receive(sequence, bytes, frames, at: now) {
        case .taken:
            Self.deliver(frames, of: bytes, into: &effects)
        case .gap(isToBeRequested: true):
            publish(.again, at: now, into: &effects)
        case .waits, .repeated, .gap(isToBeRequested: false):
            break
        }
    }

    private static func deliver(
        _ frames: [LinkMessage.Frame], of bytes: [UInt8], into effects: inout [LinkEffect]
    ) {
        for frame in frames {
            effects.append(
                frame.isWhole
                    ? .deliver(bytes[frame.bytes])
                    : .refusePart(bytes[frame.bytes], byteCount: frame.wholeByteCount))
        }
    }

    // MARK: - Room of this side

    /// Whether frames of the other side wait for room at this side.
    package var isPaused: Bool {
        incoming.isPaused
    }

    /// Keeps the following messages back, because this side has no room for their frames. They are not
    /// acknowledged, so the window of the other side fills.
    package mutating func pause() {
        incoming.isPaused = true
    }

    /// Delivers what waits, up to about `byteCount` bytes. Returns whether nothing waits any longer;
    /// otherwise the link stays paused, and the owner calls again when it has room.
    @discardableResult
    package mutating func resume(
        byteCount: Int = 262_144, at now: Duration, into effects: inout [LinkEffect]
    ) -> Bool {
        guard end == nil else {
            return true
        }
        var deliveredByteCount = 0
        while deliveredByteCount < byteCount, let next = incoming.takeWaiting(at: now) {
            deliveredByteCount += next.bytes.count
            Self.deliver(next.frames, of: next.bytes, into: &effects)
        }
        incoming.isPaused = incoming.hasWaiting
        publish(at: now, into: &effects)
        return !incoming.isPaused
    }

    // MARK: - The transport

    /// Stops publishing, because the transport has lost its connection.
    package mutating func disconnected() {
        isConnected = false
    }

    /// Publishes on a new connection everything that is not acknowledged, and asks the other side for the
    /// same: what it published last may have found no subscriber here.
    package mutating func connected(at now: Duration, into effects: inout [LinkEffect]) {
        guard end == nil else {
            return
        }
        isConnected = true
        outgoing.rewind()
        publish(.again, at: now, into: &effects)
        publish(at: now, into: &effects)
    }

    // MARK: - Time and end

    /// When the link has to act; `nil` once it has ended.
    package var deadline: Duration? {
        guard end == nil else {
            return nil
        }
        let silence = lastHeard + settings.patience
        guard isConnected else {
            return silence
        }
        let keepAlive = lastPublished + LinkSettings.keepAliveInterval
        return min(
            silence, keepAlive, incoming.acknowledgeAt ?? keepAlive, outgoing.retryAt ?? silence)
    }

    /// Performs what is due at `now`.
    package mutating func timePassed(at now: Duration, into effects: inout [LinkEffect]) {
        guard end == nil else {
            return
        }
        guard now < lastHeard + settings.patience else {
            let end = LinkEnd.silent(settings.patience)
            finish(end, sending: end.description, at: now, into: &effects)
            return
        }
        guard isConnected else {
            return
        }
        if let retryAt = outgoing.retryAt, retryAt <= now {
            outgoing.retry()
            publish(at: now, into: &effects)
        }
        let isAcknowledgementDue = incoming.acknowledgeAt.map { $0 <= now } ?? false
        if isAcknowledgementDue || lastPublished + LinkSettings.keepAliveInterval <= now {
            publish(.acknowledgement, at: now, into: &effects)
        }
    }

    /// Ends the link for a reason of this side, and sends it to the other side, after the frames that were
    /// accepted: the last one may detach the node that the session holds.
    package mutating func close(
        _ reason: String, at now: Duration, into effects: inout [LinkEffect]
    ) {
        flush(at: now, into: &effects)
        finish(.closed(reason), sending: reason, at: now, into: &effects)
    }

    /// Ends the link, because a frame of the other side violates the protocol.
    package mutating func fail(
        _ fault: LinkFault, at now: Duration, into effects: inout [LinkEffect]
    ) {
        finish(.fault(fault), sending: fault.description, at: now, into: &effects)
    }

    private mutating func finish(
        _ end: LinkEnd, sending reason: String?, at now: Duration,
        into effects: inout [LinkEffect]
    ) {
        guard self.end == nil else {
            return
        }
        if let reason {
            publish(.close(reason), at: now, into: &effects)
        }
        self.end = end
        outgoing = OutgoingWindow(settings, roundTrip: nil)
        incoming = IncomingOrder(settings)
        effects.append(.ended(end))
    }
}

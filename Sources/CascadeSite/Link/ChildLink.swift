// SPDX-License-Identifier: Apache-2.0

/// An action that the owner of a ``ChildLink`` must perform, in order.
package enum ChildLinkEffect: Equatable, Sendable {
    /// Publish a message to the gate's side of an address. The one to ``LinkAddress/open`` names the
    /// child's subject of the link as its reply subject, on which the server reports the absence of a
    /// gate.
    case publish(LinkAddress, [UInt8])
    /// The gate has opened the link. Frames may be sent.
    case opened(OpenTerms)
    /// The gate has refused the link. Nothing follows.
    case refused(OpenRefusal)
    case deliver(ArraySlice<UInt8>)
    case refusePart(ArraySlice<UInt8>, byteCount: Int)
    case room
    /// The link has ended. Nothing follows.
    case ended(LinkEnd)
}

/// The child's end of one link, from its opening to its end.
///
/// Each attempt is a new value with a new ``LinkID``. Messages of other links of the child, which the
/// transport may still carry, are counted and have no effect.
package struct ChildLink: Sendable {
    private enum State {
        /// The request is published. Exits: open, ended.
        case opening
        /// There is a ``link``.
        case open
        case ended
    }

    /// How long the gate's answer may take.
    package static let openingDuration = Duration.seconds(2)

    package let id: LinkID
    private let request: [UInt8]
    private let patience: Duration
    private let openedAt: Duration
    private var state = State.opening
    /// The open link. It is changed in place, because it has large buffers.
    private var link: Link?
    private var isConnected = true

    /// The number of messages without effect: those of other links, and answers that are malformed or
    /// come twice.
    package private(set) var ignoredCount: UInt64 = 0

    /// Publishes the request.
    package init(
        _ request: OpenRequest, patience: Duration = LinkSettings.defaultPatience, at now: Duration,
        into effects: inout [ChildLinkEffect]
    ) {
        id = request.link
        self.request = request.encoded
        self.patience = patience
        openedAt = now
        effects.append(.publish(.open, self.request))
    }

    package var isOpen: Bool {
        state == .open
    }

    /// The time that a message and its answer take to the gate and back; `nil` without an open link.
    package var roundTrip: Duration? {
        link?.roundTrip
    }

    /// The bytes that this side has sent and the gate has not acknowledged.
    package var unacknowledgedByteCount: Int {
        link?.unacknowledgedByteCount ?? 0
    }

    /// When the link has to act; `nil` once it has ended.
    package var deadline: Duration? {
        switch state {
        case .opening: openedAt + Self.openingDuration
        case .open: link?.deadline
        case .ended: nil
        }
    }

    // MARK: - Messages

    /// Processes a message on one of the child's subjects.
    package mutating func received(
        _ message: [UInt8], on address: LinkAddress, at now: Duration,
        into effects: inout [ChildLinkEffect]
    ) {
        switch (state, address) {
        case (.opening, .open):
            receiveAnswer(message, at: now, into: &effects)
        case (.open, .link(id)):
            withLink(into: &effects) { link, effects in
                link.received(message, at: now, into: &effects)
            }
        case (.opening, .link), (.open, _), (.ended, _):
            ignoredCount += 1
        }
    }

    private mutating func receiveAnswer(
        _ message: [UInt8], at now: Duration, into effects: inout [ChildLinkEffect]
    ) {
        guard let answer = try? OpenAnswer(parsing: message), answer.link == id else {
            ignoredCount += 1
            return
        }
        switch answer {
        case .refused(_, let refusal):
            state = .ended
            effects.append(.refused(refusal))
        case .accepted(_, let terms):
            let settings = LinkSettings(
                window: terms.window, maximum: terms.maximum, patience: patience)
            state = .open
            link = Link(settings, isConnected: isConnected, roundTrip: now - openedAt, at: now)
            effects.append(.opened(terms))
        }
    }

    /// Ends the opening, because the server reports on the reply subject that no gate listens.
    package mutating func noResponders(
        on address: LinkAddress, into effects: inout [ChildLinkEffect]
    ) {
        if case .opening = state, address == .link(id) {
            state = .ended
            effects.append(.ended(.noGate))
        }
    }

    /// Accepts a frame to send on an open link.
    package mutating func send(_ frame: [UInt8]) -> LinkAcceptance {
        link?.send(frame) ?? .accepted
    }

    package mutating func flush(at now: Duration, into effects: inout [ChildLinkEffect]) {
        withLink(into: &effects) { link, effects in
            link.flush(at: now, into: &effects)
        }
    }

    /// Whether frames of the gate wait for room at this side.
    package var isPaused: Bool {
        link?.isPaused ?? false
    }

    /// Keeps the following frames back; see ``Link/pause()``.
    package mutating func pause() {
        var effects: [ChildLinkEffect] = []
        withLink(into: &effects) { link, _ in
            link.pause()
        }
    }

    /// Delivers what waits; see ``Link/resume(byteCount:at:into:)``.
    @discardableResult
    package mutating func resume(
        at now: Duration, into effects: inout [ChildLinkEffect]
    ) -> Bool {
        var isDone = true
        withLink(into: &effects) { link, effects in
            isDone = link.resume(at: now, into: &effects)
        }
        return isDone
    }

    package mutating func close(
        _ reason: String, at now: Duration, into effects: inout [ChildLinkEffect]
    ) {
        if case .opening = state {
            state = .ended
            effects.append(.ended(.closed(reason)))
        }
        withLink(into: &effects) { link, effects in
            link.close(reason, at: now, into: &effects)
        }
    }

    // MARK: - Transport and time

    package mutating func disconnected() {
        isConnected = false
        var effects: [ChildLinkEffect] = []
        withLink(into: &effects) { link, _ in
            link.disconnected()
        }
    }

    /// Publishes again on a new connection what may be lost: the request, or what is not acknowledged.
    package mutating func connected(at now: Duration, into effects: inout [ChildLinkEffect]) {
        isConnected = true
        if case .opening = state {
            effects.append(.publish(.open, request))
        }
        withLink(into: &effects) { link, effects in
            link.connected(at: now, into: &effects)
        }
    }

    /// Performs what is due at `now`.
    package mutating func timePassed(at now: Duration, into effects: inout [ChildLinkEffect]) {
        if case .opening = state, now >= openedAt + Self.openingDuration {
            state = .ended
            effects.append(.ended(.unanswered(Self.openingDuration)))
        }
        withLink(into: &effects) { link, effects in
            link.timePassed(at: now, into: &effects)
        }
    }

    /// Changes the open link, and translates its effects.
    private mutating func withLink(
        into effects: inout [ChildLinkEffect],
        _ change: (inout Link, inout [LinkEffect]) -> Void
    ) {
        guard link != nil else {
            return
        }
        var linkEffects: [LinkEffect] = []
        change(&link!, &linkEffects)
        if link?.end != nil {
            state = .ended
            link = nil
        }
        for effect in linkEffects {
            switch effect {
            case .publish(let message): effects.append(.publish(.link(id), message))
            case .deliver(let frame): effects.append(.deliver(frame))
            case .refusePart(let part, let byteCount):
                effects.append(.refusePart(part, byteCount: byteCount))
            case .room: effects.append(.room)
            case .ended(let end): effects.append(.ended(end))
            }
        }
    }
}

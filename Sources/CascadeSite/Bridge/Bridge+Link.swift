// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The link to the parent, as its owner reports it.
extension Bridge {
    // MARK: - Opening

    /// The link is open, and carries the session.
    package mutating func linkOpened(
        _ terms: LinkTerms, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        guard link.phase == .dialling, let parent = configuration.parent else {
            if !link.isOpen {
                // The site's own bus has gone since. A link without a session would stay open.
                effects.append(.closeLink("the site does not need the link any more"))
            }
            return
        }
        if let granted = link.terms?.mount, granted != terms.mount {
            moveMount(to: terms.mount)
        }
        paths = paths ?? PathTranslator(mount: terms.mount, parent: parent)
        link.opened(terms, at: now)
        mountClaim.reset()
        mountDeclaration.linkOpened()
        aboveQueries.linkOpened()
        above.carriedByteCountMax = terms.maximum
        above.connected(into: &aboveEffects)
        if mountDeclaration.attachRequest == nil {
            askForMount(at: paths?.mount ?? terms.mount)
        } else {
            // The session asks again by itself.
            mountClaim.made()
        }
        finish(at: now, into: &effects)
    }

    /// The link has ended, or has not been opened. The silence before its end counts for the patience.
    package mutating func linkEnded(
        _ reason: String, afterSilence silence: Duration = .zero, at now: Duration,
        into effects: inout [BridgeEffect]
    ) {
        guard link.isOpen || link.phase == .dialling else {
            return
        }
        link.lastError = reason
        lose(closing: nil, afterSilence: silence, at: now, into: &effects)
        finish(at: now, into: &effects)
    }

    /// The parent has refused the link.
    package mutating func linkRefused(
        _ reason: String, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        guard link.phase == .dialling else {
            return
        }
        refuse(reason, at: now, into: &effects)
        finish(at: now, into: &effects)
    }

    /// Processes a frame of the link.
    package mutating func linkReceived(
        _ frame: ArraySlice<UInt8>, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        guard link.isOpen else {
            return
        }
        do throws(WireError) {
            let header = try frame.withUnsafeBytes { bytes in
                Result { () throws(WireError) in try Header(parsing: bytes) }
            }.get()
            let lateBefore = above.lateOutcomeCount
            try above.received(header, frame.span.bytes, into: &aboveEffects)
            if above.lateOutcomeCount != lateBefore {
                effects.append(.report(.lateOutcome))
            }
        } catch {
            lose(closing: error.description, at: now, into: &effects)
        }
        finish(at: now, into: &effects)
    }

    /// The link has no room: further messages wait at home.
    package mutating func linkIsFull() {
        link.hasRoom = false
    }

    /// The link has room again.
    package mutating func linkHasRoom(at now: Duration, into effects: inout [BridgeEffect]) {
        link.hasRoom = true
        finish(at: now, into: &effects)
    }

    /// Takes the round trip to the parent that the link has measured.
    package mutating func linkMeasured(
        roundTrip: Duration, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        link.measured(roundTrip: roundTrip)
        finish(at: now, into: &effects)
    }

    /// Opens a link at once, for a user who has asked for it, or because the configuration has changed. A link
    /// that is up stays, and what the parent's bus has refused is tried again.
    package mutating func dialNow(at now: Duration, into effects: inout [BridgeEffect]) {
        if link.isUp {
            tryRefusedAgain()
        }
        if configuration.parent != nil, home.number(of: .root) != nil {
            link.dialAnyway(at: now)
        }
        timePassed(at: now, into: &effects)
    }

    // MARK: - Losing

    /// Ends the link, or the attempt to open one, and begins the pause before the next.
    ///
    /// - Parameter reason: Why this side closes it; `nil` if it has ended.
    mutating func lose(
        closing reason: String?, afterSilence silence: Duration = .zero, at now: Duration,
        into effects: inout [BridgeEffect]
    ) {
        if let reason {
            link.lastError = reason
            effects.append(.closeLink(reason))
        }
        if above.state != .disconnected {
            above.disconnected(into: &aboveEffects)
        }
        mountClaim.reset()
        link.lost(
            patience: configuration.patience - silence, dialsAgain: rootClaim.isHeld, at: now)
    }

    mutating func refuse(
        _ reason: String, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        // An attempt that the parent has refused has no link to close.
        lose(closing: link.isOpen ? reason : nil, at: now, into: &effects)
        link.refused(reason, at: now)
    }
}

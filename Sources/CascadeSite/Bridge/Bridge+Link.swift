// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The link to the parent, and the session that it carries, which holds the mount.
extension Bridge {
    /// The longest sentence of the parent's bus that is shown, in characters.
    private static let sentenceLengthMax = 512

    // MARK: - The link

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
        mountDeclaration.linkOpened()
        aboveQueries.linkOpened()
        above.carriedByteCountMax = terms.maximum
        above.connected(into: &aboveEffects)
        if mountDeclaration.attachRequest == nil {
            askForMount(at: paths?.mount ?? terms.mount)
        }
        finish(at: now, into: &effects)
    }

    /// The parent's configuration has another place for the site. What is under way goes on from there.
    private mutating func moveMount(to mount: NodePath) {
        if mountDeclaration.attachRequest != nil, let old = paths?.mount {
            above.move(old, to: mount, into: &aboveEffects)
        } else {
            paths = nil
        }
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

    /// Opens a link at once, for a user who has asked for it, or because the configuration has changed.
    package mutating func dialNow(at now: Duration, into effects: inout [BridgeEffect]) {
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

    // MARK: - The mount

    private mutating func askForMount(at path: NodePath) {
        let request = nextRequest()
        let declaration = mountDeclaration.attach(at: path, request: request)
        above.attach([declaration], names: [], request: request, into: &aboveEffects)
        askForNames(above: path)
        askForValues(at: path)
    }

    /// Asks for the names to which nodes above the mount respond. The session asks again on each link.
    private mutating func askForNames(above mount: NodePath) {
        if let earlier = aboveQueries.names.request {
            above.endRepeatingQuery(earlier, into: &aboveEffects)
        }
        let request = nextRequest()
        aboveQueries.names.asked(as: request)
        above.send(
            Query(request: request, .summary(path: mount), isRepeating: true), into: &aboveEffects)
    }

    private mutating func applyNames(
        _ message: [UInt8], at now: Duration, into effects: inout [BridgeEffect]
    ) {
        guard let answer = try? DocumentAnswer(parsing: message),
            let names = try? NamesAbove(summary: answer.document)
        else {
            lose(closing: "the answer about the names above is not valid", at: now, into: &effects)
            return
        }
        apply(names)
    }

    /// The link cannot carry the names above: every name may be responded to.
    mutating func namesAreTooMany() {
        apply(.every)
    }

    private mutating func apply(_ names: NamesAbove) {
        aboveQueries.names.isAnswered = true
        let isChanged = names != namesAbove
        namesAbove = names
        if isChanged, rootDeclaration.isCarrying {
            declareRoot()
        }
    }

    /// Lets `/` respond for the nodes above, once the mount is attached and its names and values are known.
    mutating func mountIfReady(at now: Duration) {
        guard link.isMounting, aboveQueries.areAnswered, isMountConfirmed, let mount = paths?.mount,
            above.number(of: mount) != nil, home.number(of: .root) != nil
        else {
            return
        }
        link.mounted()
        rootDeclaration.isCarrying = true
        declareRoot()
    }

    /// Gives the mount up, because the site's own bus is away.
    mutating func leaveMount(at now: Duration, into effects: inout [BridgeEffect]) {
        rootClaim.patienceEnded()
        if link.isUp, let mount = paths?.mount, let node = above.number(of: mount) {
            // The session does not know of it: a request without an answer is sent again on the next link,
            // where the mount is attached again.
            effects.append(.sendAbove(Leave(request: nextRequest(), node: node).encoded()))
        }
        if link.isOpen {
            lose(closing: "the site's own bus is away", at: now, into: &effects)
        }
        cut(at: now)
        link.stopDialling()
    }

    // MARK: - Effects

    mutating func performAbove(
        _ effect: SessionEffect, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        switch effect {
        case .send(let header): sendAbove(header.encoded(), into: &effects)
        case .sendMessage(let message): sendAbove(message, into: &effects)
        case .sendRaised(let header, let fields, let payload):
            sendAbove(header.encoded(fields, payload), into: &effects)
        case .beat(let beat): above.beatAnswered(beat, into: &aboveEffects)
        case .ended(let header, let message): ended(header, message, at: now, into: &effects)
        case .raiseRefused(let ticket, let refused): raiseRefused(ticket, refused, at: now)
        case .refused(let request, let refused):
            refusedAbove(request, refused, at: now, into: &effects)
        case .detached where leaveRequests.above != nil: break
        case .detached(let detached):
            mountDeclaration.detached()
            if link.isOpen {
                refuse(Self.shown(detached.sentence), at: now, into: &effects)
                if detached.reason == .detached {
                    link.sentAway()
                }
            }
        case .violated(let violation):
            violatedAbove(violation, at: now, into: &effects)
        case .answered(aboveQueries.names.request, let message):
            applyNames(message, at: now, into: &effects)
        case .moved(_, let new):
            if let parent = configuration.parent {
                paths = PathTranslator(mount: new, parent: parent)
                askForNames(above: new)
                askForValues(at: new)
                mountDeclaration.moved(to: new)
            }
        case .invoke(let invocation):
            if invocation.target == .subscription {
                delivered(invocation.token, at: now)
            } else {
                inspect(invocation.token, .above, at: now)
            }
        case .cancelled(let token): _ = cancelInspection(token, .above)
        case .done(let request): doneAbove(request)
        case .answered(aboveQueries.values.request, let message):
            applyValues(message, at: now, into: &effects)
        case .answered(aboveQueries.sitePath, let message):
            applySitePath(message, at: now, into: &effects)
        case .answered(let request, let message): _ = answered(request, .above, message)
        case .reconnect: releaseDeliveries()
        case .welcomed(let welcome):
            if let sentence = welcome.unfitness(for: configuration, of: "the parent's bus") {
                refuse(Self.shown(sentence), at: now, into: &effects)
            }
        case .attached, .accepted, .settled, .settledBefore, .creditReturned, .environment:
            break
        }
    }

    private func sendAbove(_ frame: [UInt8], into effects: inout [BridgeEffect]) {
        if link.isOpen {
            effects.append(.sendAbove(frame))
        }
    }

    /// A sentence of the parent's bus as it may be shown: the bus may be hostile.
    private static func shown(_ sentence: String) -> String {
        sentence.escapedForDisplay(limit: sentenceLengthMax)
    }

    private mutating func refusedAbove(
        _ request: UInt64, _ refusal: Refused, at now: Duration,
        into effects: inout [BridgeEffect]
    ) {
        var refused = refusal
        refused.sentence = Self.shown(refusal.sentence)
        switch request {
        case aboveQueries.sitePath:
            // The parent has no bridge that sets the names.
            aboveQueries.values.isAnswered = true
        case aboveQueries.names.request where refused.code == .noSuchNode,
            aboveQueries.values.request where refused.code == .noSuchNode:
            // The answer follows once the mount is attached.
            break
        case aboveQueries.values.request: valuesAreDenied(refused)
        case mountDeclaration.attachRequest:
            mountDeclaration.detached()
            refuse(refused.sentence, at: now, into: &effects)
        case above.reattachRequest:
            refuse(refused.sentence, at: now, into: &effects)
        default:
            // Anything else is a query on behalf of a request that has ended by now.
            if !self.refused(request, .above, refused),
                mountDeclaration.refused(request, refused.sentence)
            {
                effects.append(.report(.changeRefused(refused.sentence)))
            }
        }
    }

    /// The parent's daemon has ended the session. It may be stopping, or may have lost a message; any other
    /// reason stays.
    private mutating func violatedAbove(
        _ violation: Violation, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        let sentence = Self.shown(violation.sentence)
        switch violation.code {
        case .shuttingDown, .messageLost, .superseded, .notReading:
            lose(closing: sentence, at: now, into: &effects)
        default:
            refuse(sentence, at: now, into: &effects)
        }
    }
}

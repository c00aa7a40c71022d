// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The session on the parent's bus, which holds the mount for all that is below.
extension Bridge {
    /// The longest sentence of the parent's bus that is shown, in characters.
    private static let sentenceLengthMax = 512

    // MARK: - Queries

    /// Asks a repeating query of the parent's bus in place of the earlier one.
    mutating func askAgain(
        _ query: WritableKeyPath<AboveQueries, AskedQuery>, _ subject: Query.Subject
    ) {
        if let earlier = aboveQueries[keyPath: query].request {
            above.endRepeatingQuery(earlier, into: &aboveEffects)
        }
        let request = nextRequest()
        aboveQueries[keyPath: query].request = request
        above.send(Query(request: request, subject, isRepeating: true), into: &aboveEffects)
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
            if !mountClaim.refused(refused.code, at: now) {
                refuse(refused.sentence, at: now, into: &effects)
            }
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

// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// Publications on their way down: deliveries to the stand-ins of the mount, which the bridge publishes at
/// home from `/`.
extension Bridge {
    // MARK: - From above

    /// Takes a delivery. It is accepted when it is published at home.
    mutating func delivered(_ token: InvocationToken, at now: Duration) {
        deliveries.waiting.append(WaitingVisit(token: token, arrivedAt: now))
    }

    /// Forgets the deliveries of a session that is not connected: the bus redelivers those that were not
    /// accepted.
    mutating func releaseDeliveries() {
        for token in deliveries.waiting.release() {
            endAbove(token, .passed)
        }
    }

    // MARK: - At home

    /// Publishes what waits, in its order, as far as the credit allows.
    mutating func publishWaiting(at now: Duration, into effects: inout [BridgeEffect]) {
        while !deliveries.waiting.isEmpty, home.canRaise, home.number(of: .root) != nil,
            let next = deliveries.waiting.popFirst()
        {
            publish(next, at: now, into: &effects)
        }
    }

    private mutating func publish(
        _ next: WaitingVisit, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        guard let paths, let visit = try? above.visit(next.token), let reach = visit.reach,
            let parent = configuration.parent
        else {
            endAbove(next.token, .failed(Failure(.malformed)))
            return
        }
        guard configuration.down.contains(visit.name) else {
            effects.append(.report(.leftOut))
            endAbove(next.token, .passed)
            return
        }
        let spent = (now - next.arrivedAt) + (link.terms?.roundTrip ?? .zero)
        guard let left = visit.millisecondsLeft.less(spent) else {
            endAbove(next.token, .timedOut, Failure(.timedOut))
            return
        }
        do throws(WireError) {
            let ticket = try publish(
                visit, reach, as: paths.publisher(visit.origin, parent), within: left)
            deliveries.insert(next.token, ticket: ticket)
            above.accept(next.token, into: &aboveEffects)
        } catch {
            endAbove(next.token, .failed(Failure(error.code, message: error.description)))
        }
    }

    /// Publishes from `/`, under the publication's own ID and as of its own publisher.
    private mutating func publish(
        _ visit: Visit, _ reach: Reach, as publisher: NodePath, within milliseconds: UInt32
    ) throws(WireError) -> UInt64 {
        var options = RaiseOptions(
            .down(reach.destination ?? .all), from: .node(.root),
            deadlineMilliseconds: milliseconds, flags: visit.isRetained ? .retained : [])
        options.traceParent = visit.traceParent
        options.foreign = ForeignMessage(
            RaisedAs(visit.id, isRepeated: visit.isRedelivered), from: publisher,
            cause: visit.cause, causes: visit.causes, reach: reach)
        return try home.raise(
            Raising(
                name: visit.name, payload: Array(visit.payload), contentType: visit.contentType,
                attributes: visit.attributes),
            options, into: &homeEffects)
    }

    // MARK: - Outcomes

    /// Tells the parent's bus how a publication, or another message that was raised at home, has ended.
    mutating func endedAtHome(
        _ header: Header, _ message: [UInt8], into effects: inout [BridgeEffect]
    ) {
        if let asked = inspections.remove(waitingFor: .raised(.home, header.sequence)) {
            conclude(asked, header, message)
            return
        }
        guard let token = deliveries.remove(ticket: header.sequence), let paths else {
            effects.append(.report(.lateOutcome))
            return
        }
        do throws(WireError) {
            let settled = try home.settled(header, message)
            outcomes.count(settled.ended.code, .down)
            endAbove(token, .remote(RemoteResult(publication: settled.ended, paths)))
        } catch {
            outcomes.count(.failed, .down)
            endAbove(token, .failed(Failure(error.code, message: error.description)))
        }
    }

    /// The site's own bus has refused a publication, or another message of the bridge.
    mutating func messageIsRefused(_ ticket: UInt64, _ refused: Refused) {
        if !inspectionIsRefused(ticket, .home, refused),
            let token = deliveries.remove(ticket: ticket)
        {
            outcomes.count(.failed, .down)
            endAbove(token, .failed(Failure(refused.code, message: refused.sentence)))
        }
    }

    // MARK: - Verdicts

    /// Ends a visit of the mount, or a delivery to it.
    mutating func endAbove(_ token: InvocationToken, _ result: InvocationResult) {
        above.finished(token, result, microseconds: 0, into: &aboveEffects)
    }

    private mutating func endAbove(
        _ token: InvocationToken, _ outcome: OutcomeCode, _ failure: Failure
    ) {
        endAbove(
            token, .remote(RemoteResult(.failed, RemoteEnd(outcome: outcome), failure: failure)))
    }
}

extension PathTranslator {
    /// Returns the name at the site of a publisher that the parent names `path`, which is always a foreign
    /// place: the mount itself is one too, seen from the parent.
    fileprivate func publisher(
        _ path: NodePath, _ parent: SiteName
    ) throws(WireError) -> NodePath {
        do throws(NameError) {
            let place = try downward(path)
            return try place.isForeign ? place : NodePath("/\(parent):\(path)")
        } catch {
            throw WireError(.badPath, error.description)
        }
    }
}

extension RemoteResult {
    /// How a publication has ended at home, as the verdict about its delivery to a stand-in.
    fileprivate init(publication ended: OutcomeMessage, _ paths: PathTranslator) {
        let failure = ended.failure.map { paths.upward($0) }
        var end = RemoteEnd(
            recipients: ended.recipients.compactMap { try? paths.upward($0) },
            failedRecipients: ended.failedRecipients.compactMap { try? paths.upward($0) })
        switch ended.code {
        case .delivered: self.init(.handled, end, failure: failure)
        case .noSubscriber: self.init(.passed)
        case .failed: self.init(.failed, end, failure: failure ?? Failure(.responderFailed))
        default:
            end.outcome = ended.code
            self.init(.failed, end, failure: failure ?? Failure(.responderFailed))
        }
    }
}

/// The deliveries to the mount that have not ended.
struct Deliveries: Sendable {
    /// Those that wait for credit at home.
    var waiting = WaitingVisits()
    /// Those that are published at home, by the numbers of the publications.
    private var published: [UInt64: InvocationToken] = [:]

    mutating func insert(_ token: InvocationToken, ticket: UInt64) {
        published[ticket] = token
    }

    /// Removes a delivery whose publication has ended, by the number of the publication.
    mutating func remove(ticket: UInt64) -> InvocationToken? {
        published.removeValue(forKey: ticket)
    }
}

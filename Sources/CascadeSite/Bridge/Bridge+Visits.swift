// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// Messages on their way up: visits of `/` at home, which the bridge raises above from the mount.
extension Bridge {
    // MARK: - From below

    /// Takes a visit of `/`. It is accepted when its message goes up.
    mutating func visited(_ token: InvocationToken, at now: Duration) {
        do throws(WireError) {
            let visit = try home.visit(token)
            guard visit.lane != .request || visit.name != .inspection else {
                inspect(token, .home, at: now)
                return
            }
            guard rootDeclaration.isCarrying, configuration.up.contains(visit.name) else {
                end(token, .passed)
                return
            }
            let key = MessageKey(id: visit.id, lane: visit.lane)
            let next = WaitingVisit(token: token, arrivedAt: now)
            if let crossing = crossings[key] {
                meet(crossing, key, next, isRedelivered: visit.isRedelivered)
            } else if waiting.isEmpty, mayRaise, let paths {
                raise(visit, key, next, paths, at: now)
            } else {
                waiting.append(next)
            }
        } catch {
            end(token, .failed(Failure(error.code, message: error.description)))
        }
    }

    /// Lets the redelivered visit of a message wait for the message's outcome above. If a visit waits for it
    /// already, a site below has raised the message again, because it was lost there with the link or the
    /// process. A visit that is not redelivered has gone round a loop of sites.
    private mutating func meet(
        _ crossing: Crossing, _ key: MessageKey, _ next: WaitingVisit, isRedelivered: Bool
    ) {
        guard crossing.token == nil || isRedelivered else {
            end(
                next.token, .looped,
                Failure(
                    .looped,
                    message: "the event \(key.id) has come back to '\(configuration.name)', "
                        + "where it is under way"))
            return
        }
        crossings.join(key, next)
        home.accept(next.token, into: &homeEffects)
    }

    /// Cancels a request whose requester no longer waits.
    mutating func cancel(_ token: InvocationToken) {
        if waiting.remove(token) {
            end(token, .failed(Failure(.cancelled)))
            return
        }
        guard let ticket = crossings.ticket(of: token) else {
            return
        }
        let isConnected = above.state == .welcomed
        above.cancel(ticket, into: &aboveEffects)
        if !isConnected {
            _ = crossings.remove(ticket: ticket)
            end(token, .failed(Failure(.cancelled)))
        }
    }

    // MARK: - Above

    /// Whether the credit and the link's room allow a message.
    private var mayRaise: Bool {
        link.isUp && link.hasRoom && above.canRaise
    }

    /// Raises the messages that wait, in their order, as far as the credit and the link's room allow.
    mutating func raiseWaiting(at now: Duration) {
        while !waiting.isEmpty, mayRaise, let next = waiting.popFirst() {
            raise(next, at: now)
        }
    }

    private mutating func raise(_ next: WaitingVisit, at now: Duration) {
        guard let paths, let visit = try? home.visit(next.token) else {
            end(next.token, .failed(Failure(.malformed)))
            return
        }
        let key = MessageKey(id: visit.id, lane: visit.lane)
        // It may have come twice while it waited.
        if let crossing = crossings[key] {
            meet(crossing, key, next, isRedelivered: visit.isRedelivered)
            return
        }
        raise(visit, key, next, paths, at: now)
    }

    private mutating func raise(
        _ visit: Visit, _ key: MessageKey, _ next: WaitingVisit, _ paths: PathTranslator,
        at now: Duration
    ) {
        let memory = crossings.recall(key, at: now)
        if case .ended(let result) = memory {
            end(next.token, .remote(result))
            return
        }
        let spent = (now - next.arrivedAt) + (link.terms?.roundTrip ?? .zero)
        guard let left = visit.millisecondsLeft.less(spent) else {
            end(next.token, .timedOut, Failure(.timedOut))
            return
        }
        do throws(WireError) {
            let ticket = try raise(visit, wasRaised: memory != nil, left, paths)
            crossings.insert(
                Crossing(
                    token: next.token, arrivedAt: next.arrivedAt, failure: visit.failure,
                    passesOnLoss: visit.passesOnLoss, changeCount: rootDeclaration.changeCount),
                key, ticket: ticket)
            home.accept(next.token, into: &homeEffects)
        } catch {
            let sentence = "it does not go up to '\(parentName)': \(error.description)"
            end(next.token, .failed(Failure(error.code, message: sentence)))
        }
    }

    /// Raises the message of a visit from the mount, under its own ID and as of its own origin.
    private mutating func raise(
        _ visit: Visit, wasRaised: Bool, _ millisecondsLeft: UInt32, _ paths: PathTranslator
    ) throws(WireError) -> UInt64 {
        let origin: NodePath
        do throws(NameError) {
            origin = try paths.upward(visit.origin)
        } catch {
            throw WireError(.badPath, error.description)
        }
        var flags: HeaderFlags = []
        if visit.passesOnLoss {
            flags.insert(.passOnLoss)
        }
        if visit.wantsTrail {
            flags.insert(.wantsTrail)
        }
        var options = RaiseOptions(
            .upward(visit.lane), from: .node(paths.mount),
            deadlineMilliseconds: millisecondsLeft, flags: flags)
        options.traceParent = visit.traceParent
        options.foreign = ForeignMessage(
            RaisedAs(visit.id, isRepeated: visit.isRedelivered || wasRaised), from: origin,
            cause: visit.cause, causes: visit.causes,
            failure: visit.failure.map { paths.upward($0) })
        return try above.raise(
            Raising(
                name: visit.name, payload: Array(visit.payload), contentType: visit.contentType,
                attributes: visit.attributes, message: visit.failure?.message,
                title: visit.failure?.title),
            options, into: &aboveEffects)
    }

    // MARK: - Outcomes

    /// Ends the visit at home of a message that has ended above.
    mutating func ended(
        _ header: Header, _ message: [UInt8], at now: Duration, into effects: inout [BridgeEffect]
    ) {
        if !inspections.isEmpty,
            let asked = inspections.remove(waitingFor: .raised(.above, header.sequence))
        {
            conclude(asked, header, message)
            return
        }
        guard let (key, crossing) = crossings.remove(ticket: header.sequence), let paths else {
            effects.append(.report(.lateOutcome))
            return
        }
        let result: RemoteResult
        do throws(WireError) {
            let settled = try above.settled(header, message)
            outcomes.count(settled.ended.code, .up)
            result = RemoteResult(settled, in: key.lane, reported: crossing.failure, paths)
        } catch {
            outcomes.count(.failed, .up)
            result = RemoteResult(
                .failed, failure: Failure(error.code, message: error.description))
        }
        conclude(key, crossing, result, at: now, into: &effects)
    }

    private mutating func conclude(
        _ key: MessageKey, _ crossing: Crossing, _ result: RemoteResult, at now: Duration,
        into effects: inout [BridgeEffect]
    ) {
        guard let token = crossing.token else {
            effects.append(.report(.lateOutcome))
            // An event that passed is raised again: a responder to it may have come meanwhile.
            if result.code != .passed {
                crossings.remember(.ended(result), of: key, at: now)
            }
            return
        }
        for earlier in crossing.earlierTokens {
            end(earlier, .remote(result))
        }
        end(token, .remote(result))
        if result.code == .passed {
            passed(key, crossing, at: now)
        }
    }

    /// A message that nothing above has handled may be held at home, and raised again.
    private mutating func passed(_ key: MessageKey, _ crossing: Crossing, at now: Duration) {
        if crossing.passesOnLoss {
            // A node that was lost with it may have had it.
            crossings.remember(.lost, of: key, at: now)
        }
        if crossing.changeCount != rootDeclaration.changeCount {
            // The site's own bus was told of responders that came before it could hold the message.
            declareRoot()
        }
    }

    /// The parent's bus has refused a message, or the session above has given it up.
    mutating func raiseRefused(_ ticket: UInt64, _ refused: Refused, at now: Duration) {
        guard !inspectionIsRefused(ticket, .above, refused),
            let (key, crossing) = crossings.remove(ticket: ticket)
        else {
            return
        }
        outcomes.count(.failed, .up)
        guard let token = crossing.token else {
            crossings.remember(.lost, of: key, at: now)
            return
        }
        let failure = Failure(refused.code, message: refused.sentence)
        for token in crossing.earlierTokens {
            end(token, .failed(failure))
        }
        guard !crossing.isGivenUp else {
            // The connection was lost after a later visit had joined the message: it is raised again.
            crossings.remember(.lost, of: key, at: now)
            waiting.append(WaitingVisit(token: token, arrivedAt: crossing.arrivedAt))
            return
        }
        end(token, .failed(failure))
    }
}

extension UInt32 {
    /// Returns this number of milliseconds less a duration, and at least 1; `nil` if the duration is as
    /// long.
    func less(_ duration: Duration) -> UInt32? {
        let left = Duration.milliseconds(Int64(self)) - duration
        return left > .zero ? left.wireMilliseconds : nil
    }
}

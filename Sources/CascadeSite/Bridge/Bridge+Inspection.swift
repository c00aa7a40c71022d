// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeSession
import CascadeWire

/// The request `cascade.Inspect`, which asks a site: answered here, or passed on towards the site.
extension Bridge {
    /// One of the two buses that a bridge is on.
    enum Side: Hashable, Sendable {
        case home
        case above
    }

    private static let duration = Duration.seconds(5)
    private static let milliseconds: UInt32 = 5_000
    private static let siteAttribute = "site"
    private static let contentType = "application/octet-stream"

    // MARK: - Asking

    /// Takes a request at `/` or at the mount.
    mutating func inspect(_ token: InvocationToken, _ side: Side, at now: Duration) {
        do throws(WireError) {
            let visit = try side == .home ? home.visit(token) : above.visit(token)
            guard let text = visit.attributes.first(where: { $0.key == Self.siteAttribute })?.value
            else {
                throw WireError("the request has no attribute '\(Self.siteAttribute)'")
            }
            let query = try Query(parsing: Array(visit.payload))
            guard !query.isRepeating else {
                throw WireError("a query of another site cannot repeat")
            }
            let asked = Inspection(
                token: token, side: side, request: query.request,
                place: try NodePath(decoding: text), endsAt: now + Self.duration)
            switch side {
            case .home:
                home.accept(token, into: &homeEffects)
                try askUp(asked, query, visit, at: now)
            case .above:
                above.accept(token, into: &aboveEffects)
                try askDown(asked, query, visit, at: now)
            }
        } catch {
            end(token, side, .failed(Failure(error.code, message: error.description)))
        }
    }

    /// A request at `/`, about this site or one that is reached by its parent.
    private mutating func askUp(
        _ asked: Inspection, _ query: Query, _ visit: Visit, at now: Duration
    ) throws(WireError) {
        guard !asked.place.isRoot else {
            guard case .sites = query.subject else {
                throw WireError(.denied, "ask the bus itself: the place '/' is its own")
            }
            end(asked, .answered(sitesAnswer(asked.request, at: now)))
            return
        }
        guard asked.place.isForeign else {
            throw WireError(.noSuchNode, "no site stands at '\(asked.place)'")
        }
        guard let paths else {
            throw WireError(.noSuchNode, "no site stands above '\(configuration.name)'")
        }
        guard link.isUp else {
            let why = link.lastError.map { ": \($0)" } ?? ""
            throw WireError(
                .nodeLost, "'\(parentName)' cannot be reached from '\(configuration.name)'\(why)")
        }
        let place = try paths.placeAbove(asked.place)
        if place.isRoot, query.subject != .sites {
            ask(query, .above, for: asked)
        } else if place.isRoot || place.isForeign {
            try raise(visit, about: place, from: .node(paths.mount), .above, for: asked)
        } else {
            try raise(visit, about: place, from: .outsider(place), .above, for: asked)
        }
    }

    /// A request at the mount, about this site or one below it.
    private mutating func askDown(
        _ asked: Inspection, _ query: Query, _ visit: Visit, at now: Duration
    ) throws(WireError) {
        guard configuration.inspect == .parent else {
            throw WireError(
                .denied,
                "the site '\(configuration.name)' does not allow inspection (inspect: none)")
        }
        guard let paths, let place = try? paths.downward(asked.place), !place.isForeign else {
            throw WireError(.noSuchNode, "no site stands at '\(asked.place)'")
        }
        if !place.isRoot {
            let mount = children.map(\.mount).first { $0.contains(place) } ?? place
            try raise(visit, about: place, from: .outsider(mount), .home, for: asked)
        } else if query.subject == .sites {
            end(asked, .answered(sitesAnswer(asked.request, at: now)))
        } else {
            ask(query, .home, for: asked)
        }
    }

    /// Asks a bus on behalf of a request.
    private mutating func ask(_ query: Query, _ side: Side, for asked: Inspection) {
        let request = nextRequest()
        inspections.insert(asked, waitingFor: .query(side, request))
        let query = Query(request: request, query.subject)
        switch side {
        case .home: home.send(query, into: &homeEffects)
        case .above: above.send(query, into: &aboveEffects)
        }
    }

    /// Raises the request again, on the next bus on the way to the site.
    private mutating func raise(
        _ visit: Visit, about place: NodePath, from origin: RaiseOptions.Origin, _ side: Side,
        for asked: Inspection
    ) throws(WireError) {
        guard side == .home ? home.canRaise : above.canRaise && link.hasRoom else {
            throw WireError(.limitReached, "too many messages are under way to the next site")
        }
        var options = RaiseOptions(
            .upward(.request), from: origin,
            deadlineMilliseconds: min(Self.milliseconds, visit.millisecondsLeft))
        options.traceParent = visit.traceParent
        let attributes = visit.attributes.filter { $0.key != Self.siteAttribute }
        let raising = Raising(
            name: .inspection, payload: Array(visit.payload), contentType: visit.contentType,
            attributes: attributes + [Attribute(Self.siteAttribute, place.description)])
        try raise(raising, options, side, for: asked)
    }

    private mutating func raise(
        _ raising: Raising, _ options: RaiseOptions, _ side: Side, for asked: Inspection
    ) throws(WireError) {
        let ticket =
            switch side {
            case .home: try home.raise(raising, options, into: &homeEffects)
            case .above: try above.raise(raising, options, into: &aboveEffects)
            }
        var asked = asked
        asked.raised = (raising, options)
        inspections.insert(asked, waitingFor: .raised(side, ticket))
    }

    /// A bus has refused a request that was raised again. Where its origin is below a mount, the mount is
    /// found on the way up.
    ///
    /// - Returns: Whether the message was such a request.
    mutating func inspectionIsRefused(_ ticket: UInt64, _ side: Side, _ refused: Refused) -> Bool {
        guard let asked = inspections.remove(waitingFor: .raised(side, ticket)) else {
            return false
        }
        let canRaise = side == .home ? home.canRaise : above.canRaise
        if refused.code == .noSuchNode, canRaise, let again = asked.raised,
            let parent = again.options.origin.path.parent, !parent.isRoot
        {
            var options = again.options
            options.origin = .outsider(parent)
            if (try? raise(again.raising, options, side, for: asked)) != nil {
                return true
            }
        }
        end(asked, .failed(renamed(refused, for: asked)))
        return true
    }

    // MARK: - Answers

    /// A bus has answered a query.
    ///
    /// - Returns: Whether it was asked on behalf of a request.
    mutating func answered(_ request: UInt64, _ side: Side, _ message: [UInt8]) -> Bool {
        guard let asked = inspections.remove(waitingFor: .query(side, request)) else {
            return false
        }
        guard var header = try? Header(parsing: message) else {
            end(asked, .failed(Failure(.malformed)))
            return true
        }
        header.id = asked.request
        end(
            asked,
            .answered(
                Reply(
                    payload: header.encoded() + message.dropFirst(Header.byteCount),
                    contentType: Self.contentType)))
        return true
    }

    /// A bus has refused a query.
    ///
    /// - Returns: Whether it was asked on behalf of a request.
    mutating func refused(_ request: UInt64, _ side: Side, _ refused: Refused) -> Bool {
        guard let asked = inspections.remove(waitingFor: .query(side, request)) else {
            return false
        }
        end(asked, .failed(renamed(refused, for: asked)))
        return true
    }

    private func renamed(_ refused: Refused, for asked: Inspection) -> Failure {
        renamed(Failure(refused.code, message: refused.sentence), for: asked)
    }

    /// Returns the failure of a bus in the names of the bus on which the request was raised. It is on the other side
    /// of the border.
    private func renamed(_ failure: Failure, for asked: Inspection) -> Failure {
        guard let paths, let message = failure.message else {
            return failure
        }
        var failure = failure
        failure.message = message.renamingPlaces { path in
            let name =
                asked.side == .home ? try? paths.downward(path) : try? paths.upward(path)
            return name ?? path
        }
        return failure
    }

    /// A request that was raised again has ended.
    mutating func conclude(_ asked: Inspection, _ header: Header, _ message: [UInt8]) {
        let settled =
            try? asked.side == .above
            ? home.settled(header, message) : above.settled(header, message)
        switch (settled?.ended.code, settled?.reply) {
        case (.handled, let reply?): end(asked, .answered(reply))
        case (.unhandled, _):
            end(asked, .failed(Failure(.noSuchNode, message: "no site stands at '\(asked.place)'")))
        case (.timedOut, _): endLate(asked)
        default:
            let failure = settled?.ended.failure ?? Failure(.malformed)
            end(asked, .failed(renamed(failure, for: asked)))
        }
    }

    private mutating func endLate(_ asked: Inspection) {
        end(
            asked,
            .failed(
                Failure(.timedOut, message: "the site at '\(asked.place)' has not answered in time")
            ))
    }

    private func sitesAnswer(_ request: UInt64, at now: Duration) -> Reply {
        let answer = DocumentAnswer(request: request, document: sitesDocument(at: now).text)
        return Reply(payload: answer.encoded(), contentType: Self.contentType)
    }

    // MARK: - Ends

    /// Ends the requests that have waited for too long. What is asked for them may still be answered.
    mutating func endLateInspections(at now: Duration) {
        for asked in inspections.removeLate(at: now) {
            endLate(asked)
        }
    }

    /// The requester of an inspection no longer waits.
    ///
    /// - Returns: Whether this was one.
    mutating func cancelInspection(_ token: InvocationToken, _ side: Side) -> Bool {
        guard let asked = inspections.remove(of: token, side) else {
            return false
        }
        end(asked, .failed(Failure(.cancelled)))
        return true
    }

    mutating func end(_ asked: Inspection, _ result: InvocationResult) {
        end(asked.token, asked.side, result)
    }

    private mutating func end(_ token: InvocationToken, _ side: Side, _ result: InvocationResult) {
        switch side {
        case .home: end(token, result)
        case .above: endAbove(token, result)
        }
    }
}

extension PathTranslator {
    /// Returns the name at the parent of a place that is reached by it.
    fileprivate func placeAbove(_ place: NodePath) throws(WireError) -> NodePath {
        do throws(NameError) {
            return try upward(place)
        } catch {
            throw WireError(.badPath, error.description)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJSON
import CascadeWire

/// Queries answered by documents: traces, dry runs, monitor events, undelivered events.
extension ScenarioBus {
    /// `trace anna#3`, `route Bell /shop [lane=error] [attribute=key:value] [payload={}]`,
    /// `undelivered`, `happenings [name=B*] [path=/shop/*] [kind=event,topology] [since=5s]`
    func documentQuery(_ command: ScenarioCommand) throws(Unusable) -> Query.Subject? {
        switch command.verb {
        case "trace": return .trace(try eventID(command.word(0)))
        case "route": return .route(try route(command))
        case "undelivered": return .undelivered
        case "underWay": return .underWay
        case "happenings", "monitor": return .monitor(try filter(command))
        default: return nil
        }
    }

    /// `monitor anna [name=…] [path=…] [kind=…] [since=…]`: reports events from now on.
    mutating func monitor(_ command: ScenarioCommand) throws(Unusable) {
        try ask(.monitor(filter(command)), isRepeating: true, as: place(named: command.word(0)))
    }

    mutating func ask(_ subject: Query.Subject, isRepeating: Bool, as place: Int) {
        let query = Query(request: nextRequest(place), subject, isRepeating: isRepeating)
        peers[place].queries[query.request] = subject
        var fields = FieldWriter()
        query.write(to: &fields)
        receive(query.header, fields: fields, from: place)
    }

    /// `clear-retained anna /shop Bell`
    mutating func clearRetained(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        let change = Administer.Change.clearRetained(
            name: try name(command.word(2)), path: try path(command.word(1)))
        let message = Administer(request: nextRequest(place), change)
        var fields = FieldWriter()
        message.write(to: &fields)
        receive(message.header, fields: fields, from: place)
    }

    private func route(_ command: ScenarioCommand) throws(Unusable) -> RouteQuery {
        let wanted = command.option("lane") ?? "event"
        guard let lane = Lane.allCases.first(where: { $0.name == wanted }) else {
            throw Unusable(reason: "there is no lane '\(wanted)'")
        }
        var route = RouteQuery(
            lane, try name(command.word(0)), from: try path(command.word(1)),
            payload: command.option("payload") ?? "")
        if let sides = command.option("attribute")?.split(separator: ":"), sides.count == 2 {
            route.attributes = [Attribute(String(sides[0]), String(sides[1]))]
        }
        return route
    }

    private func filter(_ command: ScenarioCommand) throws(Unusable) -> MonitorFilter {
        let kinds = (command.option("kind") ?? "").split(separator: ",")
        return MonitorFilter(
            name: command.option("name"), path: command.option("path"),
            kinds: MonitorEventKind.allCases.filter { kinds.contains($0.name[...]) },
            sinceMilliseconds: try command.milliseconds("since", or: 0),
            withPayloads: command.has("payloads"),
            perSecond: command.option("perSecond").flatMap { UInt32($0) } ?? 0,
            withTrails: command.has("trails"))
    }

    // MARK: - Words

    /// `anna#3`: the third message that the peer raised.
    func eventID(_ text: String) throws(Unusable) -> EventID {
        let sides = text.split(separator: "#").map(String.init)
        guard sides.count == 2, let sequence = UInt64(sides[1]) else {
            throw Unusable(reason: "'\(text)' is no event: write anna#3")
        }
        let session =
            sides[0].hasPrefix("+")
            ? SessionSecret(name: String(sides[0].dropFirst())).sessionID
            : SessionID(name: sides[0])
        return EventID(session: session, sequence: sequence)
    }

    private func name(_ text: String) throws(Unusable) -> EventName {
        do {
            return try EventName(text)
        } catch {
            throw Unusable(reason: error.description)
        }
    }

    private func path(_ text: String) throws(Unusable) -> NodePath {
        do {
            return try NodePath(text)
        } catch {
            throw Unusable(reason: error.description)
        }
    }

    // MARK: - Answers

    /// The document with each element of its lists on a line, and sessions by their names.
    func lines(ofDocument text: String) -> [String] {
        guard case .object(let members) = try? JSONValue(parsing: text) else {
            return ["UNREADABLE \(text)"]
        }
        var first: [JSONValue.Member] = []
        var lines: [String] = []
        for member in members {
            if case .array(let elements) = member.value, elements.contains(where: \.isObject) {
                lines.append("\(member.key):")
                lines += elements.map { "  \(named($0.text))" }
            } else {
                first.append(member)
            }
        }
        return [named(JSONValue.object(first).text)] + lines
    }

    func named(_ text: String) -> String {
        peers.reduce(text) { text, peer in
            text.split(separator: "\(peer.session)-", omittingEmptySubsequences: false)
                .joined(separator: "\(peer.session.name)#")
        }
    }
}

extension JSONValue {
    fileprivate var isObject: Bool {
        if case .object = self { true } else { false }
    }
}

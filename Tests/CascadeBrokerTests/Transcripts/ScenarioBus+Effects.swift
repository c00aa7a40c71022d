// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSimulator
import CascadeWire

/// The broker's effects for a reader: paths and names for numbers, d1, d2 for deliveries.
///
/// Numbers are shown with the definitions of the receiving peer, so that an undefined number is
/// visible as such.
extension ScenarioBus: BrokerHost {
    mutating func send(_ header: Header, to peer: PeerID) {
        sent(header, FieldReader([]), header.encoded(), to: peer)
    }

    mutating func send(_ message: [UInt8], to peer: PeerID) {
        if let header = try? Header(parsing: message) {
            sent(header, header.fields(of: message), message, to: peer)
        }
    }

    mutating func forward(_ forwarded: Forward) {
        if let fault = payloads.send(forwarded) {
            output.append("BUG: \(fault)")
        }
        self.forwarded(
            forwarded.payload, forwarded.header, to: forwarded.peer, forwarded.itinerary)
    }

    mutating func disconnect(_ peer: PeerID) {
        output.append("\(name(of: peer)) is disconnected")
    }

    mutating func persist(_ entry: JournalEntry) {
        unwritten.append(entry)
        output.append("journal \(entry.number): \(words(entry))")
    }

    mutating func log(_ entry: LogEntry) {
        output.append("log \(Self.line(entry))")
    }

    // MARK: - Visits and deliveries

    private mutating func forwarded(
        _ message: Payload, _ header: Header, to peer: PeerID, _ itinerary: Itinerary?
    ) {
        guard let place = place(of: peer) else {
            return
        }
        if header.fieldsLength != message.fieldsLength {
            output.append("BUG: the header announces other fields than the message has")
        }
        let body = String(decoding: message.body, as: UTF8.self)
        guard header.command != .outcome else {
            replied(header, message, in: place)
            return
        }
        let event =
            "\(lane(header))\(name(header, message, in: place)) of "
            + "\(peers[place].sessions[header.session]?.name ?? "UNDEFINED")#\(header.sequence) "
            + "from \(path(header.origin, in: place))"
        var target: String
        var node = header.node
        if header.command == .visit {
            let stops = itinerary?.stops ?? [.init(node: node, responder: header.index)]
            target = stops.map { "\(path($0.node, in: place))[\($0.responder)]" }
                .joined(separator: ", ")
        } else {
            let name = number(header.name, in: place)
            let only = name.flatMap { peers[place].onlySubscriber(of: $0) }
            node = itinerary?.stops.first?.node ?? only?.number ?? Header.noNode
            target = path(node, in: place)
        }
        let isSilent = header.flags.contains(.unacknowledged)
        var label = isSilent ? "unacknowledged" : self.label(header.id, node)
        label += header.command == .delivery && header.flags.contains(.retained) ? " retained" : ""
        if header.command == .delivery, let reach = Reach(rawValue: header.code & 0xFF),
            reach != .publishedBefore
        {
            label += " to \(reach)"
        }
        label += header.flags.contains(.sentAgain) ? " again" : ""
        label += header.flags.contains(.passOnLoss) ? " passOnLoss" : ""
        label += header.flags.contains(.wantsTrail) ? " trail" : ""
        if !isSilent {
            peers[place].open.append(.init(delivery: header.id, node: node))
        }
        let text = body.isEmpty ? "" : " \(body)"
        let time = TimeSpan(milliseconds: header.time)
        output.append(
            "\(peers[place].name) < \(header.command) \(label) at \(target): \(event)\(text), "
                + "\(time) left")
        if let failure = try? Failure(fields: FieldReader(message.fields)) {
            output += Self.lines(failure)
        }
    }

    /// The lane of errors, requests and cascades, and the depth of caused messages.
    private func lane(_ header: Header) -> String {
        guard header.command == .visit, let code = LaneCode(rawValue: header.code) else {
            return ""
        }
        let lane = code.lane == .event ? "" : "\(code.lane) "
        return code.causes == 0 ? lane : "\(lane)(cause \(code.causes)) "
    }

    /// The message, title and causes of an error.
    private static func lines(_ failure: Failure) -> [String] {
        let title = failure.title.map { " \($0):" } ?? ""
        let causes = failure.causes.map { "  after \($0)" }
        return ["  error\(title) \(failure)"] + causes
    }

    private mutating func replied(_ header: Header, _ message: Payload, in place: Int) {
        do {
            let ended = try OutcomeMessage(header: header, fields: FieldReader(message.fields))
            output += lines(ended, "\(peers[place].name) < outcome", in: place)
            output.append("  reply \(String(decoding: message.body, as: UTF8.self))")
        } catch {
            output.append("UNREADABLE \(error)")
        }
    }

    private mutating func label(_ id: UInt64, _ node: UInt32) -> String {
        if let place = labelled.firstIndex(where: { $0.id == id }) {
            return "d\(place + 1)"
        }
        labelled.append(Labelled(id: id, node: node))
        return "d\(labelled.count)"
    }

    private func name(_ header: Header, _ message: Payload, in place: Int) -> String {
        guard header.name == 0 else {
            return number(header.name, in: place)?.description ?? "UNDEFINED"
        }
        let raised = try? RaisedFields(fields: FieldReader(message.fields))
        let failure = try? Failure(fields: FieldReader(message.fields))
        return (raised?.name ?? failure?.name)?.description ?? "NAMELESS"
    }

    private func number(_ name: UInt32, in place: Int) -> EventName? {
        peers[place].names[name]
    }

    private func path(_ node: UInt32, in place: Int) -> String {
        let own = peers[place].ownNodes.first { $0.value == node }?.key
        return (own ?? peers[place].nodes[node])?.description ?? "UNDEFINED"
    }

    // MARK: - Messages

    private mutating func sent(
        _ header: Header, _ fields: FieldReader, _ bytes: [UInt8], to peer: PeerID
    ) {
        guard let place = place(of: peer) else {
            return
        }
        let to = "\(peers[place].name) < \(header.command)"
        do {
            switch header.command {
            case .define:
                try defined(Define(header: header, fields: fields), to, in: place)
            case .attached:
                try attached(Attached(header: header, fields: fields), to, in: place)
            case .detached:
                let detached = try Detached(header: header, fields: fields)
                output.append(
                    "\(to) \(detached.path) \(detached.reason): \(detached.sentence)")
                peers[place].ownNodes[detached.path] = nil
                peers[place].open.removeAll { $0.node == detached.node }
            case .moved:
                let moved = try Moved(header: header, fields: fields)
                let former = peers[place].ownNodes.first { $0.value == moved.node }?.key
                if let former {
                    peers[place].ownNodes[former] = nil
                }
                peers[place].ownNodes[moved.path] = moved.node
                output.append("\(to) \(former?.description ?? "UNDEFINED") to \(moved.path)")
            case .outcome:
                let ended = try OutcomeMessage(header: header, fields: fields)
                output += lines(ended, to, in: place)
            case .settled:
                output += try settledLines(header, fields, to, in: place)
            case .environment:
                let changes = try EnvironmentChanges(header: header, fields: fields)
                output += lines(changes, in: place)
            case .answer:
                output.append(to)
                let subject = peers[place].queries[header.id]
                let query = subject.map { Query(request: header.id, $0) }
                output += lines(ofAnswer: bytes, to: query).map { "  \($0)" }
            case .beat:
                peers[place].lastBeat = header.id
                output.append("\(to) \(try words(header, fields))")
            default:
                output.append("\(to) \(try words(header, fields))")
            }
        } catch {
            output.append("\(to) UNREADABLE \(error)")
        }
    }

    private mutating func defined(_ define: Define, _ to: String, in place: Int) {
        for definition in define.definitions {
            peers[place].learn(definition)
            if case .node(_, let path, let activation?) = definition {
                let rank = learn(activation, of: path, in: place)
                output += rank.map { ["\(to) \(path)\($0)"] } ?? []
            }
        }
        let list = define.definitions.compactMap(Self.words).joined(separator: ", ")
        if showsDefinitions, !list.isEmpty {
            output.append("\(to) \(list)")
        }
    }

    private mutating func attached(_ attached: Attached, _ to: String, in place: Int) {
        var paths: [String] = []
        for node in attached.nodes {
            peers[place].ownNodes[node.path] = node.number
            let rank = node.activation.flatMap { learn($0, of: node.path, in: place) }
            paths.append(node.path.description + (rank ?? ""))
        }
        output.append("\(to) \(paths.joined(separator: ", "))")
    }

    private func settledLines(
        _ header: Header, _ fields: FieldReader, _ to: String, in place: Int
    ) throws(WireError) -> [String] {
        let settled = try Settled(header: header, fields: fields)
        let who = settled.id.map { " of \(named($0.description))" } ?? ""
        let handler = settled.handler.map { " by \($0)" } ?? ""
        return lines(settled.ended, "\(to) \(settled.name)\(who)\(handler):", in: place)
    }

    private func lines(_ ended: OutcomeMessage, _ to: String, in place: Int) -> [String] {
        var text = "\(to) #\(ended.sequence) \(ended.code)"
        if ended.node != Header.noNode {
            text += " by \(path(ended.node, in: place))[\(ended.responder)]"
            text += ended.handler.map { " for \($0)" } ?? ""
        }
        if !ended.recipients.isEmpty {
            text += " to " + ended.recipients.map(\.description).joined(separator: ", ")
        }
        if !ended.failedRecipients.isEmpty {
            let failed = ended.failedRecipients.map(\.description)
            text += ", failed at " + failed.joined(separator: ", ")
        }
        if let failure = ended.failure {
            text += ", \(named(failure.description))"
        }
        if ended.microseconds > 0 {
            text += ", after \(ended.microseconds / 1000)ms"
        }
        let causes = ended.failure?.causes.map { "  after \($0)" } ?? []
        return [text] + causes
            + ended.trail.map { visit in
                "  \(visit.path)[\(visit.responder)] \(visit.kind) \(visit.name): "
                    + (visit.hasTimedOut ? "timedOut" : "\(visit.verdict)")
                    + (visit.microseconds > 0 ? " after \(visit.microseconds / 1000)ms" : "")
            }
    }

    // MARK: - Words

    private func words(_ header: Header, _ fields: FieldReader) throws -> String {
        switch header.command {
        case .welcome:
            let welcome = try Welcome(header: header, fields: fields)
            return "to '\(welcome.bus)', version \(welcome.version), credit \(welcome.credit)"
        case .refused:
            let refused = try Refused(header: header, fields: fields)
            let what = refused.sequence > 0 ? "#\(refused.sequence)" : "request \(refused.request)"
            return "\(what) \(refused.code): \(refused.sentence)"
        case .violation:
            let violation = try Violation(header: header, fields: fields)
            return "\(violation.code): \(violation.sentence)"
        case .beat: return header.id >> 63 == 0 ? "\(header.id)" : "of a monitor"
        case .credit: return "\(header.code)"
        case .accepted: return "#\(header.sequence)"
        case .done: return "request \(header.id)"
        case .cancel: return "d\((labelled.firstIndex { $0.id == header.id } ?? -1) + 1)"
        default: return "UNEXPECTED"
        }
    }

    /// Stores a session's activations for its next attach. Returns a text if it is wanted.
    private mutating func learn(
        _ activation: Activation, of path: NodePath, in place: Int
    ) -> String? {
        activations[peers[place].session, default: [:]][path.description] = activation
        return showsRanks
            ? " rank \(activation.rank)" + (activation.isActive ? "" : " inactive") : nil
    }

    private static func words(_ definition: Define.Definition) -> String? {
        switch definition {
        case .name(let number, let name): "name \(number) \(name)"
        case .node(_, _, .some): nil
        case .node(let number, let path, nil): "node \(number) \(path)"
        case .session(let number, let session):
            "session \(number) \(session.id.name)" + (session.isProven ? " proven" : "")
        }
    }

    private static func line(_ entry: LogEntry) -> String {
        switch entry {
        case .attached(let path, let process): "attached \(path) by \(process)"
        case .left(let path): "left \(path)"
        case .lost(let path, let process): "lost \(path) of \(process)"
        case .gone(let path): "gone \(path)"
        case .detached(let path, let reason): "detached \(path) \(reason)"
        case .moved(let path, let destination): "moved \(path) to \(destination)"
        case .undeclared(let path, let name): "undeclared \(name) at \(path)"
        case .unhandled(let path, let name): "unhandled \(name) of \(path)"
        case .cycle(let cycle): "cycle \(cycle)"
        case .policyLoaded(let ruleCount, let fileCount):
            "policy loaded: \(ruleCount) rules, \(fileCount) files"
        case .rulesLoaded(let ruleCount, let fileCount):
            "rules: \(ruleCount), files: \(fileCount)"
        case .filesRefused(let kind, let sentence): "\(kind) refused: \(sentence)"
        case .quarantined(let id, let name):
            "quarantined \(name) \(id.session.name)#\(id.sequence)"
        case .journalRead(let events, let outcomes, let unreadable):
            "journal read, events: \(events), outcomes: \(outcomes), unreadable: \(unreadable)"
        case .journalFailed(let sentence): "journal failed: \(sentence)"
        case .journalMended: "journal mended"
        case .journalDamaged(let count, let evidence): "journal damaged: \(count), \(evidence)"
        case .unresponsive(let process): "unresponsive \(process)"
        case .responsive(let process): "responsive \(process)"
        case .violation(let process, let code, _): "violation \(code) by \(process)"
        case .refused(let process, let code, _): "refused \(code) to \(process)"
        }
    }
}

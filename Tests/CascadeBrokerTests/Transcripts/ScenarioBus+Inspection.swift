// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJSON
import CascadeWire

/// Inspection of the tree, by a peer's query or by a separate inspector.
extension ScenarioBus {
    /// `watch anna tree|changes|activity|bus|subscribers [/path] [name]`: a repeating query.
    mutating func watch(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        let query = try Self.query(Array(command.words.dropFirst()))
        ask(query.subject, isRepeating: true, as: place)
    }

    /// `tree [/path]`, `counters /path`, `subscribers Bell [/path]`, `status`: by an inspector that
    /// connects for the answer.
    mutating func inspect(_ command: ScenarioCommand) throws(Unusable) {
        var query = Query(request: 1, .bus)
        if let document = try documentQuery(command) {
            query.subject = document
        } else {
            query.subject = try Self.query([command.verb] + command.words).subject
        }
        query.request = 1
        let inspector = PeerID(index: 1000, generation: 1)
        let hello = Hello(
            session: SessionID(high: 9, low: 9), program: "inspector", processID: 9)
        _ = effects(
            of: .connected(inspector, Credentials(processID: 9, userID: 0, groupID: 0)))
        _ = effects(of: Self.input(hello, from: inspector))
        for case .sendMessage(let bytes, inspector) in effects(
            of: Self.input(query, from: inspector))
        {
            output += lines(ofAnswer: bytes, to: query)
        }
        _ = effects(of: .gone(inspector))
    }

    private static func input(_ message: some WireMessage, from peer: PeerID) -> Input {
        .received(peer, OwnedPayload(message.encoded()))
    }

    static func query(_ words: [String]) throws(Unusable) -> Query {
        do {
            if let subject = try environmentQuery(words) {
                return Query(request: 0, subject)
            }
            let path = try words.first { $0.hasPrefix("/") }.map { try NodePath($0) } ?? .root
            let name = words.dropFirst().first { !$0.hasPrefix("/") }
            switch (words.first, name) {
            case ("counters", _): return Query(request: 0, .tree(path: path, depth: 0))
            case ("tree", _): return Query(request: 0, .tree(path: path, depth: .max))
            case ("changes", _):
                let depth = name.flatMap { UInt32($0) } ?? .max
                return Query(request: 0, .treeChanges(path: path, depth: depth))
            case ("activity", _):
                return Query(request: 0, .activity(path: path, milliseconds: 0))
            case ("check", _): return Query(request: 0, .check)
            case ("summary", _): return Query(request: 0, .summary(path: path))
            case ("status", _), ("bus", _): return Query(request: 0, .bus)
            case ("subscribers", let name?):
                return Query(request: 0, .subscribers(name: try EventName(name), path: path))
            default: throw Unusable(reason: "ask for tree, subscribers or status")
            }
        } catch let unusable as Unusable {
            throw unusable
        } catch {
            throw Unusable(reason: "\(error)")
        }
    }

    // MARK: - Answers

    /// The content of an answer, one line for each entry.
    func lines(ofAnswer bytes: [UInt8], to query: Query?) -> [String] {
        if let refused = try? Refused(parsing: bytes) {
            return ["refused \(refused.code): \(named(refused.sentence))"]
        }
        switch query?.subject {
        case .tree(_, let depth):
            let nodes = (try? TreeAnswer(parsing: bytes))?.nodes ?? []
            return nodes.map { Self.line($0, showsTimes: depth == 0) }
        case .treeChanges: return (try? TreeAnswer(parsing: bytes)).map(Self.lines) ?? []
        case .activity: return (try? ActivityAnswer(parsing: bytes)).map(Self.lines) ?? []
        case .subscribers: return (try? SubscribersAnswer(parsing: bytes)).map(Self.lines) ?? []
        case .check: return (try? DocumentAnswer(parsing: bytes)).map(Self.lines) ?? []
        case .trace, .undelivered, .undeliveredEvent, .underWay, .route, .monitor, .environment,
            .explanation, .environmentTree, .preferences, .rules, .rulesDifference, .policy,
            .policyTest, .metrics, .summary, .sites:
            let answer = try? DocumentAnswer(parsing: bytes)
            return answer.map { lines(ofDocument: $0.document) } ?? []
        case .bus, nil: return (try? BusAnswer(parsing: bytes)).map(Self.lines) ?? []
        }
    }

    private static func line(_ node: NodeSnapshot, showsTimes: Bool) -> String {
        var parts = ["\(node.path)", node.state.name]
        if !node.path.isRoot || !node.responders.isEmpty {
            parts += node.holder.map { ["\($0.processID)"] } ?? []
            parts += node.responders.map { responder in
                let name = responder.name?.description ?? "*"
                return "\(responder.kind):\(name)" + (responder.when.map { "?\($0)" } ?? "")
            }
            parts += node.subscriptions.map { "subscribe:\($0)" }
            parts += node.standIns.map { "standIn:\($0.name)+\($0.levels)@\($0.turn)" }
            parts += node.isPresented ? ["presented"] : []
            parts += node.isMount ? ["mount of \(node.holder?.key ?? "nobody")"] : []
            parts += node.triggers.map { ["triggers:" + Self.list($0)] } ?? []
            parts += node.reports.map { ["reports:" + Self.list($0)] } ?? []
            let times = showsTimes ? [] : ["latency", "measured"]
            let counters = node.counters.filter { $0.value > 0 && !times.contains($0.name) }
            parts += counters.map { "\($0.name)=\($0.value)" }
        }
        return parts.joined(separator: " ")
    }

    private static func lines(_ answer: TreeAnswer) -> [String] {
        ["version \(answer.version)" + (answer.hasOnlyChanges ? ", changes" : ", whole")]
            + answer.gone.map { "gone \($0)" }
            + answer.nodes.map { node in
                "\(node.number.map { "\($0)" } ?? "?"): " + line(node, showsTimes: false)
            }
    }

    private static func lines(_ answer: ActivityAnswer) -> [String] {
        let line = { (counters: NodeCounters) in
            counters.named.filter { $0.value > 0 }.map { "\($0.name)=\($0.value)" }
                .joined(separator: " ")
        }
        return ["\(answer.rows.count) nodes"]
            + answer.rows.map { "\($0.number): \(line($0.counters))" }
            + (answer.otherCount > 0 ? ["\(answer.otherCount) others: \(line(answer.others))"] : [])
    }

    private static func list(_ names: [EventName]) -> String {
        names.map(\.description).joined(separator: ",")
    }

    /// One line for each finding, or the whole document if there is none.
    private static func lines(_ answer: DocumentAnswer) -> [String] {
        guard let document = try? JSONValue(parsing: answer.document),
            case .array(let findings) = document["findings"], !findings.isEmpty
        else {
            return [answer.document]
        }
        return findings.map { finding in
            ["kind", "path", "name", "message"].map { finding[$0]?.string ?? "?" }
                .joined(separator: " ")
        }
    }

    private static func lines(_ answer: SubscribersAnswer) -> [String] {
        PublishingDestination.allCases.map { destination in
            let paths = answer[destination].map(\.description).joined(separator: ", ")
            return "\(destination): \(paths.isEmpty ? "nobody" : paths)"
        }
    }

    private static func lines(_ answer: BusAnswer) -> [String] {
        // The inspector itself is a session.
        let counters = answer.counters.filter { $0.value > 0 && $0.name != "sessions" }
        return [counters.map { "\($0.name)=\($0.value)" }.joined(separator: " ")]
    }
}

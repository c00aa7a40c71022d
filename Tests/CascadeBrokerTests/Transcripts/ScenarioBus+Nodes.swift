// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Commands that attach, change, activate and detach nodes.
///
/// Declarations are written field by field, so that scenarios can contain invalid names.
extension ScenarioBus {
    /// `attach anna /shop handle:PrintJob receive:* subscribe:Bell [prefetch=1] [inactive]
    /// [takeover] [presented] [orphans:detach] [triggers:A,B] [reports:C] [safety:strict]
    /// [responders:any] [rank:9] + /other … names:A,B`; a predicate follows a responder:
    /// `handle:PrintJob?pages>100`. With `again`, the session brings the node's latest activation.
    mutating func attach(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        var fields = FieldWriter()
        for words in command.words.dropFirst().split(separator: "+") {
            if words.first?.hasPrefix("names:") != true {
                var declaration = FieldWriter()
                try declare(words, command, in: place, to: &declaration)
                fields.append(.node) { $0 = declaration }
            }
        }
        for name in command.words.first(where: { $0.hasPrefix("names:") })?.dropFirst(6)
            .split(separator: ",") ?? []
        {
            fields.append(.name, String(name))
        }
        receive(Header(.attach, id: nextRequest(place)), fields: fields, from: place)
    }

    /// `change anna /shop handle:PrintJob … [abandons]`
    mutating func change(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        var fields = FieldWriter()
        try declare(command.words.dropFirst(), command, in: place, to: &fields)
        let node: UInt32 = try command.number(
            "node", or: try number(of: command.word(1), in: place))
        receive(
            Header(
                .change, flags: command.has("abandons") ? .abandons : [], node: node,
                id: nextRequest(place)), fields: fields, from: place)
    }

    private static let flagsOfDeclarations = [
        "inactive", "takeover", "presented", "names", "outcomes", "again", "abandons", "mount",
    ]

    private mutating func declare(
        _ words: ArraySlice<String>, _ command: ScenarioCommand, in place: Int,
        to fields: inout FieldWriter
    ) throws(Unusable) {
        guard let path = words.first else {
            throw Unusable(reason: "a declaration begins with a path")
        }
        fields.append(.path, path)
        var subscriptions: [String] = []
        for word in words.dropFirst() {
            let sides = word.split(separator: ":", maxSplits: 1).map(String.init)
            if declareResponder(sides, to: &fields) {
                continue
            }
            if try declareSafety(sides, to: &fields) {
                continue
            }
            if try declareEnvironment(sides, to: &fields) {
                continue
            }
            if sides[0] == "subscribe", sides.count == 2 {
                fields.append(.subscription, sides[1])
                subscriptions.append(sides[1])
            } else if sides[0] == "standIn", sides.count == 2 {
                subscriptions.append(try declareStandIn(sides[1], to: &fields))
            } else if !Self.flagsOfDeclarations.contains(sides[0]) {
                throw Unusable(reason: "'\(word)' declares nothing")
            }
        }
        if words.contains("again"), let told = activations[peers[place].session]?[path] {
            declare(told, to: &fields)
        }
        fields.append(.wantsOutcomes, if: words.contains("outcomes"))
        fields.append(.isPresented, if: words.contains("presented"))
        fields.append(.isMount, if: words.contains("mount"))
        fields.append(.detachesOrphans, if: words.contains("orphans:detach"))
        fields.append(.isInactive, if: words.contains("inactive"))
        fields.append(.takesOver, if: words.contains("takeover"))
        let concurrency: UInt16 = try command.number("concurrency", or: 1)
        fields.append(.concurrency, concurrency)
        fields.append(.prefetch, try command.number("prefetch", or: UInt16(256)))
        peers[place].subscriptions[path] = subscriptions
    }

    /// `standIn:Bell+2@17`: for subscribers up to level 2, the last of which was activated in turn 17.
    private func declareStandIn(
        _ text: String, to fields: inout FieldWriter
    ) throws(Unusable) -> String {
        let sides = text.split(separator: "@").map(String.init)
        let parts = (sides.first ?? "").split(separator: "+").map(String.init)
        guard let name = parts.first else {
            throw Unusable(reason: "a stand-in has a name")
        }
        fields.append(.standIn) { writer in
            writer.append(name)
            writer.append(parts.count > 1 ? UInt32(parts[1]) ?? 0 : 0)
            writer.append(sides.count > 1 ? UInt64(sides[1]) ?? 0 : UInt64(0))
        }
        return name
    }

    private func declare(_ activation: Activation, to fields: inout FieldWriter) {
        fields.append(.activation) { parts in
            parts.append(activation.rank)
            parts.append(UInt8(activation.isActive ? 1 : 0))
        }
    }

    private func declareResponder(_ sides: [String], to fields: inout FieldWriter) -> Bool {
        let kind = ResponderKind.allCases.first { $0.name == sides[0] }
        guard let kind, sides.count == 2 else {
            return false
        }
        let parts = sides[1].split(separator: "?", maxSplits: 1).map(String.init)
        fields.append(.responder) { writer in
            writer.append(kind.rawValue)
            writer.append(parts.first ?? "")
            if parts.count == 2 {
                writer.append(parts[1])
            }
        }
        return true
    }

    private func declareSafety(
        _ sides: [String], to fields: inout FieldWriter
    ) throws(Unusable) -> Bool {
        let value = sides.count == 2 ? sides[1] : ""
        let names = value.isEmpty ? [""] : value.split(separator: ",").map(String.init)
        switch sides[0] {
        case "triggers", "reports":
            for name in names {
                fields.append(sides[0] == "triggers" ? .triggers : .reports, name)
            }
        case "safety":
            guard let level = SafetyLevel.allCases.first(where: { $0.name == value }) else {
                throw Unusable(reason: "there is no level '\(value)'")
            }
            fields.append(.safety, level.rawValue)
        case "responders": fields.append(.explicitResponders, UInt8(value == "any" ? 0 : 1))
        case "rank":
            declare(Activation(rank: UInt64(value) ?? 0, isActive: true), to: &fields)
        case "orphans": return value == "detach" || value == "adopt"
        default: return false
        }
        return true
    }

    /// `move anna /shop/spool /attic`, `drain anna /shop [subtree]`, `detach anna /shop [subtree]`:
    /// by any peer.
    mutating func administer(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        let path = try Self.path(command.word(1))
        let change: Administer.Change
        switch command.verb {
        case "move": change = .move(path: path, under: try Self.path(command.word(2)))
        case "drain": change = .drain(path: path, withSubtree: command.has("subtree"))
        default: change = .detach(path: path, withSubtree: command.has("subtree"))
        }
        let message = Administer(request: nextRequest(place), change)
        var fields = FieldWriter()
        message.write(to: &fields)
        receive(message.header, fields: fields, from: place)
    }

    private static func path(_ text: String) throws(Unusable) -> NodePath {
        do {
            return try NodePath(text)
        } catch {
            throw Unusable(reason: "\(error)")
        }
    }

    /// `activate anna /shop`: by any peer.
    mutating func activate(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        var fields = FieldWriter()
        fields.append(.path, try command.word(1))
        let code: UInt32 = command.verb == "activate" ? 1 : 0
        receive(
            Header(.activate, id: nextRequest(place), code: code), fields: fields, from: place)
    }

    /// Administrative commands.
    mutating func administer(
        _ command: ScenarioCommand, _ change: Administer.Change
    ) throws(Unusable) {
        let place = try place(named: command.word(0))
        let message = Administer(request: nextRequest(place), change)
        var fields = FieldWriter()
        message.write(to: &fields)
        receive(message.header, fields: fields, from: place)
    }

    /// `leave anna [/shop]`
    mutating func leave(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        var node: UInt32 = try command.number("node", or: Header.noNode)
        if command.words.count > 1 {
            node = try number(of: command.word(1), in: place)
        }
        receive(Header(.leave, node: node, id: nextRequest(place)), from: place)
    }

    /// The number of a peer's own node.
    func number(of path: String, in place: Int) throws(Unusable) -> UInt32 {
        guard let number = peers[place].node(path) else {
            throw Unusable(reason: "\(peers[place].name) holds no '\(path)'")
        }
        return number
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Commands that raise events and publications, and that answer them.
extension ScenarioBus {
    /// `trigger anna /shop/spool PrintJob [outside] [includingSelf] [deadline=2s] [passOnLoss]
    /// [emit] [trail] [again] [received=3] [payload={}]`,
    /// `publish anna /shop Bell [to=all] [retain] …`
    ///
    /// `outside` raises it at a path that the peer need not hold. `received` is the number of
    /// outcomes that the peer has received.
    mutating func raise(_ kind: Command, _ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        let lane = Lane.allCases.first { $0.name == command.verb } ?? .event
        let path = try command.word(1)
        let name = try command.word(2)
        var header = Header(kind)
        var fields = FieldWriter()
        if command.has("outside") {
            fields.append(.origin, path)
        } else {
            header.node = try command.number("node", or: try number(of: path, in: place))
        }
        if let number = peers[place].number(of: name) {
            header.name = number
        } else {
            fields.append(.name, name)
        }
        header.flags = Self.flags(command)
        try describe(command, to: &fields)
        if !fields.bytes.isEmpty {
            header.flags.insert(.addressedInFields)
        }
        header.sequence = try command.number("sequence", or: peers[place].lastSequence &+ 1)
        peers[place].lastSequence = max(peers[place].lastSequence, header.sequence)
        header.id = try command.number("received", or: 0)
        header.time = try command.milliseconds("deadline", or: 0)
        let causes: UInt16 = try command.number("causes", or: 0)
        header.code =
            kind == .publish
            ? try destination(command) | UInt32(causes) << 8
            : LaneCode(command.verb == "report" ? .error : lane, causes: causes).rawValue
        receive(header, fields: fields, from: place, text: command.option("payload") ?? "")
    }

    /// `hold=5s message=words title=words attribute=key:value retry=anna#1 cause=anna#1`, and of another
    /// bus `as=till#1 [repeated] from=/shop/till errorNode=/shop errorCause=Jam`
    private func describe(
        _ command: ScenarioCommand, to fields: inout FieldWriter
    ) throws(Unusable) {
        var raised = RaisedFields(
            message: command.option("message"), title: command.option("title"))
        if let time = command.option("hold") {
            raised.holdMilliseconds = try ScenarioCommand.milliseconds(time)
        }
        if let sides = command.option("attribute")?.split(separator: ":"), sides.count == 2 {
            raised.attributes = [Attribute(String(sides[0]), String(sides[1]))]
        }
        raised.retried = try command.option("retry").map { text throws(Unusable) in
            try eventID(text)
        }
        raised.cause = try command.option("cause").map { text throws(Unusable) in
            try eventID(text)
        }
        if let text = command.option("as") {
            raised.raisedAs = RaisedAs(try eventID(text), isRepeated: command.has("repeated"))
        }
        raised.write(to: &fields)
        if let path = command.option("from") {
            fields.append(.origin, path)
        }
        if let path = command.option("errorNode") {
            fields.append(.errorNode, path)
        }
        if let name = command.option("errorCause") {
            fields.append(.errorCause, nested: { $0.append(.errorName, name) })
        }
    }

    /// `cancel anna 3`: cancels the message with this sequence number.
    mutating func cancel(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        guard let sequence = UInt64(try command.word(1)) else {
            throw Unusable(reason: "a sequence is a number")
        }
        receive(Header(.cancel, sequence: sequence), from: place)
    }

    private static func flags(_ command: ScenarioCommand) -> HeaderFlags {
        var flags: HeaderFlags = []
        let known: [(String, HeaderFlags)] = [
            ("includingSelf", .includingSelf), ("passOnLoss", .passOnLoss),
            ("emit", .unacknowledged), ("trail", .wantsTrail), ("retain", .retained),
            ("again", .sentAgain), ("durable", .durable),
        ]
        for (word, flag) in known where command.has(word) {
            flags.insert(flag)
        }
        return flags
    }

    private func destination(_ command: ScenarioCommand) throws(Unusable) -> UInt32 {
        let name = command.option("to") ?? "last"
        guard let known = PublishingDestination.allCases.first(where: { $0.name == name }) else {
            if let reach = Reach.allCases.first(where: { "\($0)" == name }) {
                return reach.rawValue
            }
            return try command.number("to", or: 99)
        }
        return known.rawValue
    }

    // MARK: - Answers

    /// `accept anna [d1]`: accepts the first unaccepted delivery, or the given one.
    mutating func accept(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        let chosen = try labelled(command)
        let open = peers[place].open.firstIndex { open in
            chosen.map { open.delivery == $0.id } ?? !open.isAccepted
        }
        if let open {
            peers[place].open[open].isAccepted = true
        }
        guard let id = open.map({ peers[place].open[$0].delivery }) ?? chosen?.id,
            let node = open.map({ peers[place].open[$0].node }) ?? chosen?.node
        else {
            throw Unusable(reason: "\(peers[place].name) has nothing to accept")
        }
        receive(Header(.accept, node: node, id: id), from: place)
    }

    /// `verdict anna handled|passed|replaced:Name|failed:Name [d1] [stop=1] [node=/shop]
    /// [nextAccepted] [payload={}]`: answers the first unanswered delivery, or the given one.
    mutating func verdict(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        let chosen = try labelled(command)
        let wanted = try command.option("node").map { path throws(Unusable) in
            try number(of: path, in: place)
        }
        let open = peers[place].open.firstIndex { open in
            (chosen == nil || open.delivery == chosen?.id)
                && (wanted == nil || open.node == wanted)
        }
        let answered = open.map { peers[place].open.remove(at: $0) }
        guard let id = answered?.delivery ?? chosen?.id,
            let node = answered?.node ?? chosen?.node
        else {
            throw Unusable(reason: "\(peers[place].name) has nothing to answer")
        }
        try answer(command, place, id, node)
    }

    private mutating func answer(
        _ command: ScenarioCommand, _ place: Int, _ id: UInt64, _ node: UInt32
    ) throws(Unusable) {
        let sides = try command.word(1).split(separator: ":").map(String.init)
        guard let code = VerdictCode.allCases.first(where: { $0.name == sides[0] }) else {
            throw Unusable(reason: "there is no verdict '\(sides[0])'")
        }
        var header = Header(.verdict, node: node, id: id, code: code.rawValue)
        header.index = try command.number("stop", or: 0)
        header.flags = command.has("nextAccepted") ? .nextAccepted : []
        var fields = FieldWriter()
        if code == .replaced, sides.count > 1 {
            if let number = peers[place].number(of: sides[1]) {
                header.name = number
            } else {
                fields.append(.name, sides[1])
            }
        } else if sides.count > 1 {
            fields.append(.errorName, sides[1])
        }
        try describe(command, to: &fields)
        try remoteEnd(command).write(to: &fields)
        receive(header, fields: fields, from: place, text: command.option("payload") ?? "")
    }

    /// `handler=/hq:/shop recipients=/hq:/a,/hq:/b visited=/hq:/shop ended=looped`: an end on another bus.
    private func remoteEnd(_ command: ScenarioCommand) throws(Unusable) -> RemoteEnd {
        var end = RemoteEnd()
        do {
            end.handler = try command.option("handler").map { try NodePath($0) }
            end.recipients = try (command.option("recipients") ?? "").split(separator: ",")
                .map { try NodePath($0) }
            end.failedRecipients = try (command.option("failedRecipients") ?? "")
                .split(separator: ",").map { try NodePath($0) }
            end.trail = try (command.option("visited") ?? "").split(separator: ",").map { path in
                VisitRecord(
                    path: try NodePath(path), responder: 1, kind: .handle, name: "PrintJob",
                    verdict: .handled, microseconds: 3_000)
            }
        } catch {
            throw Unusable(reason: "\(error)")
        }
        if let ended = command.option("ended") {
            end.outcome = OutcomeCode.allCases.first { $0.name == ended }
        }
        return end
    }

    /// `credit anna /shop 3`
    mutating func credit(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        let node: UInt32 = try command.number(
            "node", or: try number(of: command.word(1), in: place))
        guard let count = UInt32(try command.word(2)) else {
            throw Unusable(reason: "a credit is a number")
        }
        receive(Header(.credit, node: node, code: count), from: place)
    }

    /// The delivery that a line names, if any.
    private func labelled(_ command: ScenarioCommand) throws(Unusable) -> Labelled? {
        let label = command.words.dropFirst().first { word in
            word.hasPrefix("d") && UInt(word.dropFirst()) != nil
        }
        guard let label, let number = Int(label.dropFirst()) else {
            return nil
        }
        guard labelled.indices.contains(number - 1) else {
            throw Unusable(reason: "there is no delivery \(label)")
        }
        return labelled[number - 1]
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Connections, greetings and the configuration of the bus.
extension ScenarioBus {
    /// `bus grace=5s resume=60s settle=2s reattach=2s beat=1s deadline=30s greeting=10s depth=4 …
    /// [defines] [ranks] [durable] [shared]`; a second time it reloads the configuration.
    mutating func configure(_ command: ScenarioCommand) throws(Unusable) {
        showsDefinitions = command.has("defines")
        showsRanks = command.has("ranks")
        configuration.graceMilliseconds = try command.milliseconds(
            "grace", or: configuration.graceMilliseconds)
        configuration.resumeMilliseconds = try command.milliseconds(
            "resume", or: configuration.resumeMilliseconds)
        configuration.settleMilliseconds = try command.milliseconds(
            "settle", or: configuration.settleMilliseconds)
        configuration.reattachMilliseconds = try command.milliseconds(
            "reattach", or: configuration.reattachMilliseconds)
        configuration.beatMilliseconds = try command.milliseconds(
            "beat", or: configuration.beatMilliseconds)
        configuration.deadlineMilliseconds = try command.milliseconds(
            "deadline", or: configuration.deadlineMilliseconds)
        configuration.greetingMilliseconds = try command.milliseconds(
            "greeting", or: configuration.greetingMilliseconds)
        configuration.keepsDurable = configuration.keepsDurable || command.has("durable")
        configuration.isShared = configuration.isShared || command.has("shared")
        try configureLimits(command)
        if box != nil {
            handle(.configured(configuration))
        }
    }

    private mutating func configureLimits(_ command: ScenarioCommand) throws(Unusable) {
        for (key, path) in Self.limits {
            let value = configuration.limits[keyPath: path]
            configuration.limits[keyPath: path] = try command.number(key, or: value)
        }
    }

    /// The limits by name; that of durable events has another name, since `durable` is a flag.
    static var limits: [(String, Limit.Member)] {
        Limit.all.map { ($0.name == "durable" ? "durableMax" : $0.name, $0.member) }
    }

    /// `connect anna 1001 [uid=7] [groups=8,9] [unit=till.service] [key=till] [session=bella]
    /// [secret=anna]`; `dial` does not greet. The session of `secret=anna` can be named without it
    /// by `session=+anna`, the daemon's own by `session=0`. With `for=ulm` it greets for a key.
    mutating func connect(_ command: ScenarioCommand, greets: Bool) throws(Unusable) {
        let name = try command.word(0)
        guard let processID = UInt32(try command.word(1)) else {
            throw Unusable(reason: "a process has a number")
        }
        let place = peers.count
        peers.append(
            ScenarioPeer(
                name: name, id: PeerID(index: UInt32(place), generation: 1),
                processID: processID, session: try session(command, SessionID(name: name)),
                secret: command.option("secret").map { SessionSecret(name: $0) }))
        peers[place].policyKey = command.option("for")
        let userID: UInt32 = try command.number("uid", or: 1000)
        handle(
            .connected(
                peers[place].id,
                Credentials(
                    processID: processID, userID: userID, groupID: userID,
                    groups: (command.option("groups") ?? "").split(separator: ",")
                        .compactMap { UInt32($0) },
                    unit: command.option("unit") ?? "", key: command.option("key"))))
        if greets {
            greet(place, versions: ProtocolVersion.min...ProtocolVersion.max)
        }
    }

    /// `hello anna [versions=2-3] [session=bella]`
    mutating func hello(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        let bounds = (command.option("versions") ?? "1-1").split(separator: "-").map { UInt16($0) }
        guard let first = bounds.first, let min = first, let last = bounds.last, let max = last
        else {
            throw Unusable(reason: "versions are written 1-2")
        }
        peers[place].session = try session(command, peers[place].session)
        peers[place].secret =
            command.option("secret").map { SessionSecret(name: $0) } ?? peers[place].secret
        greet(place, versions: min...max)
    }

    private func session(
        _ command: ScenarioCommand, _ missing: SessionID
    ) throws(Unusable) -> SessionID {
        guard let name = command.option("session") else {
            return command.option("secret").map { SessionSecret(name: $0).sessionID } ?? missing
        }
        guard name != "0" else {
            return SessionIdentity.daemon.id
        }
        return name.hasPrefix("+")
            ? SessionSecret(name: String(name.dropFirst())).sessionID : SessionID(name: name)
    }

    private mutating func greet(_ place: Int, versions: ClosedRange<UInt16>) {
        let hello = Hello(
            versions: versions, session: peers[place].session, program: peers[place].name,
            processID: peers[place].processID, secret: peers[place].secret,
            policyKey: peers[place].policyKey)
        var fields = FieldWriter()
        hello.write(to: &fields)
        receive(hello.header, fields: fields, from: place)
    }

    /// `beat anna [received=3]`: answers the last beat.
    mutating func beat(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        let received: UInt64 = try command.number("received", or: 0)
        receive(Header(.beat, id: peers[place].lastBeat, sequence: received), from: place)
    }

    /// `malformed anna [unknownCommand]`: sends malformed bytes.
    mutating func malformed(_ command: ScenarioCommand) throws(Unusable) {
        let error =
            command.has("unknownCommand")
            ? WireError(.unknownCommand, "there is no command 200")
            : WireError("the message has 3 bytes, a header has 48")
        handle(.malformed(try peer(command).id, error))
    }

    /// `send anna beat [node=4] [name=9] [id=7] [sequence=1] [code=3]
    /// [oversized] [fields=9]`: sends a raw header, with so many empty fields.
    mutating func send(_ command: ScenarioCommand) throws(Unusable) {
        let name = try command.word(1)
        guard let kind = Command.allCases.first(where: { "\($0)" == name }) else {
            throw Unusable(reason: "there is no message '\(name)'")
        }
        var header = Header(
            kind, flags: command.has("includingSelf") ? .includingSelf : [],
            node: try command.number("node", or: Header.noNode),
            name: try command.number("name", or: 0), id: try command.number("id", or: 0),
            sequence: try command.number("sequence", or: 0),
            code: try command.number("code", or: 0))
        if command.has("oversized") {
            let byteCount = Int(configuration.limits.messageBytes) + 1
            let filler = [UInt8](repeating: 0, count: byteCount - Header.byteCount)
            let payload = OwnedPayload(header.encoded() + filler)
            handle(.received(try peer(command).id, payload))
            return
        }
        var fields = FieldWriter()
        for _ in 0..<(try command.number("fields", or: 0)) {
            fields.append(.watchedKey, "")
        }
        header.fieldsLength = UInt32(fields.bytes.count)
        handle(.received(try peer(command).id, OwnedPayload(header.encoded() + fields.bytes)))
    }
}

extension SessionID {
    /// The session with this name.
    init(name: String) {
        let bytes = Array(name.utf8.prefix(8))
        self.init(high: 1, low: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The name of a session; for a session with a secret, the beginning of its ID.
    var name: String {
        guard high <= 1 else {
            return String(description.prefix(8))
        }
        let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: low >> ($0 * 8)) }
        return String(decoding: bytes.drop { $0 == 0 }, as: UTF8.self)
    }
}

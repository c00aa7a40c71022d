// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSimulator
import CascadeWire

/// A broker, the peers around it and a clock, driven by the lines of a scenario.
struct ScenarioBus {
    typealias Unusable = ScenarioCommand.Unusable

    /// A delivery number where it first occurred: the peer and the node.
    struct Labelled {
        var id: UInt64
        var node: UInt32
    }

    private static let startNanoseconds: UInt64 = 1_000_000_000

    var configuration = {
        var configuration = BrokerConfiguration(bus: "test", release: "1", processID: 1)
        configuration.host = "machine"
        return configuration
    }()
    var box: BrokerBox?
    var now = Instant(nanoseconds: startNanoseconds)
    var peers: [ScenarioPeer] = []
    var payloads = PayloadWatch()
    /// The deliveries d1, d2, …
    var labelled: [Labelled] = []
    /// The entries that the broker has submitted to the journal, and those on disk.
    var unwritten: [JournalEntry] = []
    var journal: [(key: EventID, body: [UInt8])] = []
    var showsDefinitions = false
    var showsRanks = false
    /// The latest activations that sessions have received for their nodes.
    var activations: [SessionID: [String: Activation]] = [:]
    var output: [String] = []
    /// All messages that the broker has sent.
    private(set) var sent: [(peer: PeerID, bytes: [UInt8])] = []

    init() {
        // Beats would clutter every scenario that advances the clock.
        configuration.beatMilliseconds = 24 * 3_600_000
    }

    /// Runs a line. Returns the effects of the broker.
    mutating func run(_ line: String) -> [String] {
        output = []
        do throws(Unusable) {
            try carryOut(ScenarioCommand(line))
        } catch {
            output.append("UNUSABLE: \(error.reason)")
        }
        return output
    }

    private mutating func carryOut(_ command: ScenarioCommand) throws(Unusable) {
        switch command.verb {
        case "bus": try configure(command)
        case "dial": try connect(command, greets: false)
        case "connect": try connect(command, greets: true)
        case "hello": try hello(command)
        case "attach": try attach(command)
        case "change": try change(command)
        case "leave": try leave(command)
        case "activate", "deactivate": try activate(command)
        case "move", "drain", "detach": try administer(command)
        case "trigger", "report", "request", "cascade": try raise(.trigger, command)
        case "cancel": try cancel(command)
        case "clearUndelivered": try administer(command, .clearUndelivered)
        case "publish": try raise(.publish, command)
        case "accept": try accept(command)
        case "verdict": try verdict(command)
        case "credit": try credit(command)
        case "beat": try beat(command)
        case "send": try send(command)
        case "malformed": try malformed(command)
        case "exit": handle(.exited(try peer(command).id))
        case "lose": handle(.gone(try peer(command).id))
        case "stop": handle(.stop)
        case "unwatched": handle(.unwatched(try peer(command).id))
        case "dismissAll": handle(.dismissAll)
        case "advance": try advance(command)
        case "set": try set(command)
        case "unset": try unset(command)
        case "load": load(command)
        case "handover": try handOver(command)
        case "policy": try loadPolicy(command)
        case "expel": handle(.expel(try peer(command).id, Violation(.denied, "its key is gone")))
        case "ask": try ask(command)
        case "watch": try watch(command)
        case "monitor": try monitor(command)
        case "persisted", "persisted-on-reserve", "not-persisted", "restart", "received",
            "recall":
            try carryOutDurable(command)
        case "clear-retained": try clearRetained(command)
        case "tree", "counters", "subscribers", "status", "trace", "route", "undelivered",
            "underWay", "check", "happenings", "env", "explain", "env-tree", "preferences", "rules",
            "rules-diff":
            try inspect(command)
        default: throw Unusable(reason: "there is no command '\(command.verb)'")
        }
    }

    // MARK: - Broker and clock

    /// Hands the broker one input and describes the effects.
    mutating func handle(_ input: Input) {
        if let fault = payloads.settle() {
            output.append("BUG: \(fault)")
        }
        perform(effects(of: input))
    }

    mutating func effects(of input: Input) -> [Effect] {
        if box == nil {
            box = BrokerBox(Broker(configuration: configuration, at: now))
        }
        var effects: [Effect] = []
        box?.broker.handle(input, at: now, into: &effects)
        for case .sendMessage(let bytes, let peer) in effects {
            sent.append((peer, bytes))
        }
        return effects
    }

    private mutating func advance(_ command: ScenarioCommand) throws(Unusable) {
        let end = now.advanced(
            byMilliseconds: try ScenarioCommand.milliseconds(command.word(0)))
        while let deadline = box?.broker.nextDeadline, deadline <= end {
            now = max(now, deadline)
            let count = output.count
            handle(.deadline)
            if output.count > count {
                let passed = (now.nanoseconds - Self.startNanoseconds) / 1_000_000
                output.insert("at \(TimeSpan(milliseconds: UInt32(passed))):", at: count)
            }
        }
        now = end
    }

    // MARK: - Peers

    func peer(_ command: ScenarioCommand) throws(Unusable) -> ScenarioPeer {
        peers[try place(named: command.word(0))]
    }

    func place(named name: String) throws(Unusable) -> Int {
        guard let place = peers.lastIndex(where: { $0.name == name }) else {
            throw Unusable(reason: "there is no '\(name)'")
        }
        return place
    }

    func place(of id: PeerID) -> Int? {
        peers.firstIndex { $0.id == id }
    }

    /// The name of a peer that is, or was, connected.
    func name(of id: PeerID) -> String {
        place(of: id).map { peers[$0].name } ?? "UNKNOWN PEER"
    }

    /// The number of its next request.
    mutating func nextRequest(_ place: Int) -> UInt64 {
        peers[place].lastRequest += 1
        return peers[place].lastRequest
    }

    mutating func receive(
        _ header: Header, fields: FieldWriter = FieldWriter(), from place: Int,
        text: String = ""
    ) {
        var header = header
        header.fieldsLength = UInt32(fields.bytes.count)
        let payload = OwnedPayload(header.encoded() + fields.bytes + Array(text.utf8))
        payloads.insert(payload)
        if header.command == .verdict {
            payloads.observeAnswer(to: header.id)
        }
        handle(.received(peers[place].id, payload))
    }
}

/// Holds a broker, which cannot be copied, for a bus that can be there or not.
final class BrokerBox {
    var broker: Broker

    init(_ broker: consuming Broker) {
        self.broker = broker
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeSimulator
import CascadeWire

@testable import CascadeBroker

/// A broker with sessions that attach, set, watch and leave at random, and the changes reported to
struct EnvironmentWorld: ~Copyable {
    static let keys = ["k0", "k1", "k2", "k3", "k4"]

    /// The reported values of a node by key; the keys of preferences begin with `^`.
    private struct Reader {
        var peer: PeerID
        var watched: Set<String> = []
        var told: [String: String] = [:]
    }

    private var generator: Randomness
    private var broker: Broker
    private var naive = NaiveEnvironment()
    private var now = Instant(nanoseconds: 1)
    private var readers: [UInt32: Reader] = [:]
    private var peers: [PeerID] = []
    private var lastPeer: UInt32 = 0
    private var lastRequest: UInt64 = 0
    /// The latest rules; a declaration refers to their texts.
    private var lastRules: [NaiveRule] = []
    private(set) var toldCount = 0
    private(set) var faults: [String] = []

    init(seed: UInt64) throws {
        generator = Randomness(seed: seed)
        var configuration = BrokerConfiguration(bus: "world", release: "1", processID: 1)
        configuration.graceMilliseconds = 1_000
        configuration.beatMilliseconds = 24 * 3_600_000
        broker = Broker(configuration: configuration, at: now)
        for _ in 0..<3 {
            connect()
        }
    }

    // MARK: - Steps

    mutating func step() throws {
        switch generator.below(100) {
        case 0..<22: try attach()
        case 22..<52: try setOwn()
        case 52..<66: try setFromOutside()
        case 66..<72: try change()
        case 72..<78: try move()
        case 78..<84: leave()
        case 84..<87: loseSomebody()
        case 87..<93: loadRules()
        default: letTimePass()
        }
        compare()
    }

    private mutating func connect() {
        lastPeer += 1
        let peer = PeerID(index: lastPeer, generation: 1)
        peers.append(peer)
        _ = handle(.connected(peer, Credentials(processID: 1, userID: 1, groupID: 1)))
        _ = say(
            Hello(
                session: SessionID(high: 1, low: UInt64(lastPeer)), program: "world",
                processID: 1), peer)
    }

    private mutating func attach() throws {
        let peer = generator.pick(peers)
        var declaration = try declaration(path())
        declaration.takesOver = generator.isLucky(60)
        lastRequest += 1
        _ = say(Attach(request: lastRequest, nodes: [declaration]), peer) { world, effect in
            guard let attached = try? Attached(parsing: effect) else {
                return
            }
            let node = attached.nodes[0].number
            world.readers[node] = Reader(peer: peer)
            world.assign(declaration.assignments, node, isWhole: true)
        }
    }

    private mutating func change() throws {
        guard let node = ownNode(), let path = broker.places[node]?.path else {
            return
        }
        let declaration = try declaration(path)
        lastRequest += 1
        let message = Change(request: lastRequest, node: node, declaration: declaration)
        if say(message, readers[node]?.peer) {
            assign(declaration.assignments, node, isWhole: true)
        }
    }

    private mutating func setOwn() throws {
        guard let node = ownNode() else {
            return
        }
        lastRequest += 1
        let assignments = try assignments()
        let message = SetEnvironment(request: lastRequest, node: node, assignments)
        if say(message, readers[node]?.peer) {
            assign(assignments, node, isWhole: false)
        }
    }

    private mutating func setFromOutside() throws {
        lastRequest += 1
        var assignments = Assignments()
        for key in Self.keys where generator.isLucky(30) {
            let json = generator.isLucky(60) ? "\(generator.below(3))" : nil
            assignments.settings.append(EnvironmentSetting(try EventName(key), json))
        }
        let path = generator.isLucky(30) ? .root : try path()
        let message = SetEnvironment(request: lastRequest, path: path, assignments)
        if say(message, generator.pick(peers)) {
            for setting in assignments.settings {
                naive.setFromOutside(
                    setting.key.description, setting.json.flatMap { Int($0) }, path)
            }
        }
    }

    private mutating func move() throws {
        lastRequest += 1
        let parent = generator.isLucky(20) ? .root : try path()
        _ = say(Administer(request: lastRequest, .move(path: try path(), under: parent)), peers[0])
    }

    private mutating func leave() {
        if let node = ownNode() {
            lastRequest += 1
            _ = say(Leave(request: lastRequest, node: node), readers[node]?.peer)
        }
    }

    private mutating func loseSomebody() {
        let peer = peers.remove(at: generator.below(peers.count))
        for (node, reader) in readers where reader.peer == peer {
            forget(node)
        }
        _ = handle(.gone(peer))
        connect()
    }

    private mutating func loadRules() {
        var rules: [NaiveRule] = []
        for _ in 0..<generator.below(12) {
            rules.append(rule())
        }
        naive.fileRules = rules
        let text = naive.fileRules.map { $0.text + "\n" }.joined()
        _ = handle(.rules([RuleModelFile(file: "world.rules", text: text)]))
    }

    private mutating func letTimePass() {
        now = now.advanced(byMilliseconds: generator.pick([1, 600, 1_100]))
        while let deadline = broker.nextDeadline, deadline <= now {
            _ = handle(.deadline)
        }
    }

    // MARK: - Random declarations

    private mutating func path() throws -> NodePath {
        let depth = 1 + generator.below(4)
        return try NodePath((0..<depth).map { _ in generator.isLucky(60) ? "/a" : "/b" }.joined())
    }

    private mutating func rule() -> NaiveRule {
        NaiveRule(keys: Self.keys, names: ["a", "b"], &generator)
    }

    private mutating func ownNode() -> UInt32? {
        let nodes = readers.keys.sorted()
        return nodes.isEmpty ? nil : generator.pick(nodes)
    }

    private mutating func declaration(_ path: NodePath) throws -> NodeDeclaration {
        var declaration = NodeDeclaration(path: path)
        declaration.isPresented = generator.isLucky(20)
        declaration.assignments = try assignments()
        return declaration
    }

    private mutating func assignments() throws -> Assignments {
        var assignments = Assignments()
        for key in Self.keys {
            let name = try EventName(key)
            if generator.isLucky(20) {
                let json = generator.isLucky(75) ? "\(generator.below(3))" : nil
                assignments.settings.append(
                    EnvironmentSetting(
                        name, json, isForItself: generator.isLucky(40),
                        isSticky: generator.isLucky(20)))
            }
            if generator.isLucky(50) {
                assignments.watchedKeys.append(name)
            }
            if generator.isLucky(10) {
                let json = generator.isLucky(75) ? "\(generator.below(9))" : nil
                assignments.offers.append(PreferenceOffer(name, json, .sum))
            }
            if generator.isLucky(20) {
                assignments.watchedPreferences.append(name)
            }
        }
        if generator.isLucky(15) {
            lastRules = [rule(), rule(), rule()]
            assignments.rules = lastRules.map(\.text)
        }
        return assignments
    }

    // MARK: - Naive evaluation

    private mutating func assign(_ assignments: Assignments, _ node: UInt32, isWhole: Bool) {
        if isWhole {
            naive.declare(node, keys: Set(assignments.settings.map(\.key.description)))
            readers[node]?.watched = []
        }
        guard let path = broker.places[node]?.path else {
            return
        }
        for setting in assignments.settings {
            naive.set(
                setting.key.description, setting.json.flatMap { Int($0) },
                isForItself: setting.isForItself, isSticky: setting.isSticky, node, path)
        }
        for offer in assignments.offers {
            naive.offers[node, default: [:]][offer.key.description] =
                offer.json.flatMap { Int($0) }
        }
        if !assignments.rules.isEmpty {
            naive.rules[node] = lastRules
        }
        readers[node]?.watched.formUnion(assignments.watchedKeys.map(\.description))
        readers[node]?.watched.formUnion(assignments.watchedPreferences.map { "^\($0)" })
        let watched = readers[node]?.watched ?? []
        let told = readers[node]?.told ?? [:]
        readers[node]?.told = told.filter { watched.contains($0.key) }
    }

    private mutating func forget(_ node: UInt32) {
        readers[node] = nil
        naive.withdraw(node)
    }

    /// Expects that the reported values equal the naive evaluation.
    private mutating func compare() {
        let places = broker.places
        for (node, reader) in readers.sorted(by: { $0.key < $1.key }) {
            for key in reader.watched.sorted() {
                let isPreference = key.hasPrefix("^")
                let expected =
                    isPreference
                    ? naive.preference(String(key.dropFirst()), at: node, in: places)
                    : naive.value(of: key, for: node, in: places)
                if reader.told[key] != expected.map(String.init) {
                    let path = places[node].map(\.path.description) ?? "a place that has gone"
                    faults.append(
                        "\(path) was told \(reader.told[key] ?? "nothing") for \(key), which is "
                            + "\(expected.map(String.init) ?? "nothing")")
                }
            }
        }
    }

    // MARK: - The broker

    /// Returns whether the broker accepted the command.
    private mutating func say(
        _ message: some WireMessage, _ peer: PeerID?,
        _ heard: (inout Self, [UInt8]) -> Void = { _, _ in }
    ) -> Bool {
        guard let peer else {
            return false
        }
        return handle(.received(peer, OwnedPayload(message.encoded())), heard)
    }

    private mutating func handle(
        _ input: Input, _ heard: (inout Self, [UInt8]) -> Void = { _, _ in }
    ) -> Bool {
        var effects: [Effect] = []
        var isRefused = false
        broker.handle(input, at: now, into: &effects)
        for case .sendMessage(let bytes, let peer) in effects {
            if let detached = try? Detached(parsing: bytes) {
                forget(detached.node)
            } else if let changes = try? EnvironmentChanges(parsing: bytes) {
                take(changes, peer)
            }
            isRefused = isRefused || (try? Refused(parsing: bytes)) != nil
            heard(&self, bytes)
        }
        return !isRefused
    }

    private mutating func take(_ changes: EnvironmentChanges, _ peer: PeerID) {
        guard readers[changes.node]?.peer == peer else {
            faults.append("changes for an unknown node")
            return
        }
        for change in changes.changes {
            let key = (change.isPreference ? "^" : "") + change.key.description
            if readers[changes.node]?.told[key] != change.old || change.old == change.new {
                faults.append("a change of \(key) from what it was not, or to what it was")
            }
            readers[changes.node]?.told[key] = change.new
            toldCount += 1
        }
    }
}

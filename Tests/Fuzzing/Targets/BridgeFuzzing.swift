// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeSite
import CascadeWire

/// Runs a bridge between a bus of its own and a parent, both of which answer what it asks and send arbitrary
/// messages: no frame is sent without a link or is longer than the link carries, and one input causes few
/// effects.
enum BridgeFuzzing {
    static func run(_ bytes: [UInt8]) {
        var world = FuzzedBridge()
        var source = ByteSource(bytes)
        while let operation = source.byte() {
            world.answer()
            world.step(operation, &source)
        }
        world.leave()
    }
}

/// A bridge with the answers that it waits for.
private struct FuzzedBridge: ~Copyable {
    private enum Side {
        case home
        case above
    }

    private static let maximum = 4_096
    /// Every visit that a parent may let wait, and what it may ask for, can end at once.
    private static let effectCountMax = 20_000
    private static let mount: NodePath = "/shop/ulm"
    private static let session = SessionID(high: 3, low: 4)

    private var bridge: Bridge
    private var now = Duration.seconds(1)
    private var hasLink = false
    private var isDialling = false
    private var isHomeConnected = false
    private var answers: [(side: Side, message: [UInt8])] = []
    private var lastNumber: UInt64 = 0

    init() {
        var generator = FixedGenerator()
        let configuration = BridgeConfiguration(
            name: "ulm", parent: "hq", homeSecret: SessionSecret(using: &generator),
            aboveSecret: SessionSecret(using: &generator), program: "fuzzed", processID: 7)
        bridge = Bridge(configuration, seed: 1)
        for _ in 0..<6 {
            answer()
        }
    }

    // MARK: - Answers

    /// Answers what the bridge has asked before.
    mutating func answer() {
        if !isHomeConnected {
            isHomeConnected = true
            act { $0.homeConnected(at: $1, into: &$2) }
        }
        if isDialling {
            isDialling = false
            hasLink = true
            act {
                $0.linkOpened(
                    LinkTerms(mount: Self.mount, maximum: Self.maximum), at: $1, into: &$2)
            }
        }
        let due = answers
        answers = []
        for (side, message) in due {
            deliver(message, side)
        }
    }

    private mutating func deliver(_ message: [UInt8], _ side: Side) {
        switch side {
        case .home: act { $0.homeReceived(message, at: $1, into: &$2) }
        case .above: act { $0.linkReceived(message[...], at: $1, into: &$2) }
        }
    }

    private mutating func reply(to message: [UInt8], _ side: Side) {
        guard let header = try? Header(parsing: message) else {
            preconditionFailure("the bridge sends a message that is not valid")
        }
        switch header.command {
        case .hello:
            let welcome = Welcome(
                version: 1, bus: "fuzzed", release: "1", processID: 1, credit: 16,
                beatMilliseconds: 1_000, limits: [NamedNumber("sites", 1_024)])
            let define = Define([
                .name(number: 1, EventName(unchecked: "Jam")),
                .session(number: 1, SessionIdentity(Self.session, isProven: true)),
                .node(number: 9, "/shop/till"),
            ])
            answers += [(side, welcome.encoded()), (side, define.encoded())]
        case .attach:
            let path = side == .home ? NodePath.root : Self.mount
            let attached = Attached(
                request: header.id, nodes: [Attached.Node(path: path, number: 7)])
            answers.append((side, attached.encoded()))
        case .change, .leave:
            answers.append((side, Header(.done, id: header.id).encoded()))
        case .query:
            answers.append(
                (side, DocumentAnswer(request: header.id, document: Self.document).encoded()))
        default:
            break
        }
    }

    /// An answer to each of the bridge's queries.
    private static let document = """
        {"above":[{"lane":"event","name":"Jam","turn":1}],"below":[{"name":"Jam","level":1,"turn":1}],\
        "values":[{"key":"site.path","value":["hq"],"kind":"set","from":"/"},\
        {"key":"colour","value":1,"kind":"rule","from":"/shop"}],\
        "preferences":{"wide":1},"reducers":{"wide":"max"}}
        """

    // MARK: - Steps

    mutating func step(_ operation: UInt8, _ source: inout ByteSource) {
        switch operation % 10 {
        case 0:
            deliver(source.block() ?? [], .home)
        case 1:
            deliver(source.block() ?? [], .above)
        case 2, 3:
            let side = operation % 10 == 2 ? Side.home : .above
            if let command = source.byte().flatMap(Command.init(rawValue:)) {
                deliver(message(command, source.block() ?? []), side)
            }
        case 4:
            if let command = source.byte().flatMap(Command.init(rawValue:)) {
                let part = message(command, source.block() ?? [])
                act { $0.linkReceivedPart(part, of: 1 << 20, at: $1, into: &$2) }
            }
        case 5:
            now += .milliseconds(Int(operation) * 20)
            act { $0.timePassed(at: $1, into: &$2) }
        case 6:
            hasLink = false
            act { $0.linkEnded("cut", at: $1, into: &$2) }
        case 7:
            hasLink = false
            act { $0.linkRefused("refused", at: $1, into: &$2) }
        case 8:
            bridge.linkIsFull()
            act { $0.linkHasRoom(at: $1, into: &$2) }
        default:
            isHomeConnected = false
            act { $0.homeDisconnected(at: $1, into: &$2) }
        }
    }

    /// Returns a message about the numbers that are defined, whose fields are the first half of a block.
    private mutating func message(_ command: Command, _ block: [UInt8]) -> [UInt8] {
        lastNumber += 1
        let code = UInt32(block.first ?? 0)
        let header = Header(
            command, fieldsLength: UInt32(block.count / 2), node: 7, name: 1, id: lastNumber,
            sequence: lastNumber, origin: 9, session: 1, time: 5_000, code: code)
        return header.encoded() + block
    }

    mutating func leave() {
        act { $0.leave(at: $1, into: &$2) }
        act { $0.close("the end", at: $1, into: &$2) }
    }

    // MARK: - Effects

    private mutating func act(_ change: (inout Bridge, Duration, inout [BridgeEffect]) -> Void) {
        var effects: [BridgeEffect] = []
        change(&bridge, now, &effects)
        precondition(
            effects.count <= Self.effectCountMax, "\(effects.count) effects of one input")
        for effect in effects {
            perform(effect)
        }
        _ = bridge.sitesDocument(at: now)
        precondition(
            bridge.deadline.map { $0 > .zero } ?? true, "a deadline before the beginning")
    }

    private mutating func perform(_ effect: BridgeEffect) {
        switch effect {
        case .sendHome(let message): reply(to: message, .home)
        case .sendAbove(let frame):
            precondition(hasLink, "a frame without a link")
            precondition(
                frame.count <= Self.maximum, "a frame of \(frame.count) bytes exceeds the link")
            reply(to: frame, .above)
        case .connectHome: isHomeConnected = false
        case .dial: isDialling = true
        case .closeLink: hasLink = false
        case .report: break
        }
    }
}

/// The same numbers in each run.
private struct FixedGenerator: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}

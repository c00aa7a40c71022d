// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire

/// Checks a gate against the messages of two hostile children, and a child against those of a hostile
/// gate: each greeting that reaches the bus has the child's name as its only key, a child has one open
/// link, nothing follows the end of a link, and one message causes few others.
enum LinkFuzzing {
    private static let children: [SiteName] = ["ulm", "bonn", "stranger"]
    /// The messages of a window that one message may cause to be published again, and some controls.
    private static let effectCountMax = 70_000

    static func run(_ bytes: [UInt8]) {
        runGate(bytes)
        runChild(bytes)
    }

    // MARK: - The gate

    private static func runGate(_ bytes: [UInt8]) {
        let configuration = try? GateConfiguration(
            name: "hq", bus: "hq", children: ["ulm": "/ulm", "bonn": "/bonn"], maxPayload: 8_192)
        guard let configuration else {
            preconditionFailure("the configuration is valid")
        }
        var gate = Gate(configuration)
        var source = ByteSource(bytes)
        var now = Duration.zero
        var ended: Set<LinkKey> = []
        while let operation = source.byte(), let argument = source.byte() {
            var effects: [GateEffect] = []
            let child = children[Int(argument) % children.count]
            let link = LinkID(UInt64(argument / 16))
            switch operation % 7 {
            case 0:
                let request = OpenRequest(
                    link: link, instance: "\(argument % 2)", host: "h", program: "p")
                gate.received(request.encoded, from: child, on: .open, at: now, into: &effects)
            case 1:
                gate.received(
                    source.block() ?? [], from: child, on: .open, at: now, into: &effects)
            case 2, 3:
                gate.received(
                    message(&source, isFramed: operation % 7 == 3), from: child, on: .link(link),
                    at: now, into: &effects)
            case 4:
                now += .milliseconds(Int(argument) * 10)
                gate.timePassed(at: now, into: &effects)
            case 5:
                for key in gate.openLinks {
                    _ = gate.send(source.block() ?? [], on: key)
                    gate.flush(key, at: now, into: &effects)
                }
            default:
                for key in gate.openLinks {
                    argument % 2 == 0
                        ? gate.pause(key) : gate.busConnected(key, at: now, into: &effects)
                }
            }
            check(effects, &ended)
            let openChildren = gate.openLinks.map(\.child)
            precondition(Set(openChildren).count == openChildren.count, "a child has two links")
            precondition(!openChildren.contains("stranger"), "a stranger has a link")
        }
    }

    private static func check(_ effects: [GateEffect], _ ended: inout Set<LinkKey>) {
        precondition(effects.count <= effectCountMax, "\(effects.count) effects of one input")
        for effect in effects {
            switch effect {
            case .deliver(let key, let frame):
                precondition(!ended.contains(key), "a frame of a link that has ended")
                checkKey(of: Array(frame), key.child)
            case .disconnect(let key):
                precondition(ended.insert(key).inserted, "a link ends twice")
            case .connect(let key):
                precondition(!ended.contains(key), "an ended link is opened again")
            case .publish, .room, .report:
                break
            }
        }
    }

    private static func checkKey(of frame: [UInt8], _ child: SiteName) {
        guard let header = try? Header(parsing: frame), header.command == .hello else {
            return
        }
        var fields = header.fields(of: frame)
        var keys: [String?] = []
        while let field = try? fields.next() {
            if field.tag == .policyKey {
                keys.append(try? field.text())
            }
        }
        precondition(keys == [child.description], "a greeting has the keys \(keys)")
    }

    /// Returns the next block as a whole message, or as one frame of a message with a small sequence.
    private static func message(_ source: inout ByteSource, isFramed: Bool) -> [UInt8] {
        let block = source.block() ?? []
        guard isFramed, let sequence = block.first else {
            return block
        }
        let frame = block.dropFirst()
        let length = (0..<4).map { UInt8(truncatingIfNeeded: frame.count >> (8 * $0)) }
        return [sequence % 8] + [UInt8](repeating: 0, count: 15) + length + frame
    }

    // MARK: - The child

    private static func runChild(_ bytes: [UInt8]) {
        var source = ByteSource(bytes)
        var effects: [ChildLinkEffect] = []
        let id = LinkID(1)
        var link = ChildLink(
            OpenRequest(link: id, instance: "i", host: "h", program: "p"), at: .zero,
            into: &effects)
        let terms = OpenTerms(bus: "hq", mount: "/ulm", maximum: 4_096, window: 65_536)
        let answer = OpenAnswer.accepted(id, terms).encoded
        var now = Duration.zero
        while let operation = source.byte() {
            effects = []
            let hadEnded = link.deadline == nil
            switch operation % 6 {
            case 0: link.received(answer, on: .open, at: now, into: &effects)
            case 1: link.received(source.block() ?? [], on: .open, at: now, into: &effects)
            case 2, 3:
                let message = message(&source, isFramed: operation % 6 == 3)
                link.received(message, on: .link(id), at: now, into: &effects)
            case 4:
                now += .milliseconds(Int(operation) * 10)
                link.timePassed(at: now, into: &effects)
            default:
                _ = link.send(source.block() ?? [])
                link.flush(at: now, into: &effects)
            }
            precondition(effects.count <= effectCountMax, "\(effects.count) effects of one input")
            precondition(!hadEnded || effects.isEmpty, "an ended link has effects")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSimulator
import CascadeTestSupport
import CascadeWire

/// Answers to visits and deliveries, honest and forged.
extension ChaosBus {
    mutating func answer(_ place: Int) throws {
        guard !peers[place].open.isEmpty else {
            return
        }
        let open = generator.pick(peers[place].open)
        guard generator.isLucky(80) else {
            receive(Header(.accept, node: open.node, id: open.id), [], place)
            return
        }
        var verdict = Verdict(
            delivery: open.id, node: open.node,
            code: generator.pick([
                .passed, .passed, .handled, .handled, .replaced, .failed, .answered,
            ]),
            stop: UInt16(generator.isLucky(80) ? 0 : generator.below(4)),
            nextAccepted: generator.isLucky(40))
        if verdict.code == .replaced, generator.isLucky(80) {
            verdict.newName = try EventName("N\(generator.below(16))")
        }
        if verdict.code == .failed, generator.isLucky(80) {
            verdict.failure = Failure(name: try EventName("N\(generator.below(16))"))
        }
        if generator.isLucky(15) {
            verdict.remote = RemoteEnd(
                handler: try path(), recipients: [try path(), NodePath("/hq:/p")],
                outcome: generator.isLucky(50) ? generator.pick(OutcomeCode.allCases) : nil)
            verdict.failure?.node = try path()
        }
        answered(open, place)
        var fields = FieldWriter()
        verdict.write(to: &fields)
        receive(verdict.header, fields.bytes, place)
    }

    private mutating func answered(_ open: ChaosPeer.Open, _ place: Int) {
        peers[place].open.removeAll { $0 == open }
        payloads.observeAnswer(to: open.id)
    }

    mutating func returnCredit(_ place: Int) {
        let owing = peers[place].own.keys.sorted().filter { node in
            (peers[place].own[node]?.silentCount ?? 0) > 0
        }
        guard !owing.isEmpty else {
            return
        }
        let node = generator.pick(owing)
        let count = 1 + generator.below(peers[place].own[node]?.silentCount ?? 1)
        peers[place].own[node]?.silentCount -= count
        receive(Header(.credit, node: node, code: UInt32(count)), [], place)
    }

    // MARK: - Forged

    /// A message of any kind, with random numbers.
    mutating func forge(_ place: Int) {
        let likely: [Command] = [.verdict, .verdict, .accept, .credit, .trigger, .leave]
        var header = Header(
            generator.isLucky(80) ? generator.pick(likely) : generator.pick(Command.allCases),
            flags: HeaderFlags(rawValue: UInt8(truncatingIfNeeded: generator.next())),
            index: UInt16(generator.below(5)), node: forgedNode(place),
            name: UInt32(generator.below(15)), id: forgedID(),
            sequence: peers[place].lastSequence + UInt64(generator.below(3)),
            origin: UInt32(generator.below(20)), session: UInt32(generator.below(10)),
            time: UInt32(generator.below(5000)), code: UInt32(generator.below(6)))
        let fields = generator.isLucky(30) ? forgedFields() : []
        switch header.command {
        case .trigger, .publish:
            // Random fields may name another origin, so they are not checked.
            header.flags.subtract([.addressedInFields, .sentAgain])
            let path = peers[place].own[header.node]?.path ?? .root
            note(header, Source(path: path, name: nil), place)
        case .verdict:
            let open = peers[place].open.first { open in
                open.id == header.id && (!open.isPublication || open.node == header.node)
            }
            if let open {
                answered(open, place)
            }
        case .credit:
            if let own = peers[place].own[header.node] {
                let count = min(own.silentCount, Int(header.code))
                peers[place].own[header.node]?.silentCount -= count
                peers[place].own[header.node]?.isHonest = own.isHonest && count == header.code
            }
        default: break
        }
        let isLong = [.trigger, .publish, .verdict].contains(header.command)
        if isLong, generator.isLucky(10) {
            receive(header, fields, place, body: Self.longBody)
        } else {
            receive(header, fields, place)
        }
    }

    private mutating func forgedNode(_ place: Int) -> UInt32 {
        let own = peers[place].own.keys.sorted()
        switch generator.below(3) {
        case 0: return own.isEmpty ? 0 : generator.pick(own)
        case 1: return Header.noNode
        default: return UInt32(generator.below(80))
        }
    }

    /// A random delivery of any peer, a future one, or an unknown one.
    private mutating func forgedID() -> UInt64 {
        let open = peers.flatMap(\.open).map(\.id)
        switch generator.below(5) {
        case 0, 1: return open.isEmpty ? 0 : generator.pick(open)
        case 2: return deliveryUnderWay()
        case 3:
            let mark: UInt64 = generator.isLucky(30) ? 1 << 31 : 0
            return UInt64(1 + generator.below(20)) << 32 | mark | UInt64(generator.below(10))
        default: return generator.next()
        }
    }

    private mutating func forgedFields() -> [UInt8] {
        (0..<generator.below(24)).map { _ in UInt8(truncatingIfNeeded: generator.below(80)) }
    }
}

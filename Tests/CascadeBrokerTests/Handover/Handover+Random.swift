// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

@testable import CascadeBroker

extension Handover {
    /// A random handover.
    static func random(using generator: inout SeededGenerator) -> Handover {
        var handover = Handover()
        handover.lastRank = UInt64.random(in: 0...1 << 40, using: &generator)
        var depth: UInt16 = 0
        for number in 0..<Int.random(in: 0...12, using: &generator) {
            depth = UInt16.random(in: 1...depth + 1, using: &generator)
            handover.places.append(.random(number, depth: depth, using: &generator))
        }
        for number in 0..<Int.random(in: 0...5, using: &generator) {
            handover.values.append(
                Value(
                    path: .root, key: EventName(unchecked: "key\(number)"),
                    json: ["1", "null", "\"ä\"", "{\"a\":[1,2]}"]
                        .randomElement(using: &generator) ?? "0",
                    isSticky: .random(using: &generator), isForItself: .random(using: &generator),
                    since: .random(using: &generator),
                    author: Provenance(
                        processID: .random(in: 0 ... .max, using: &generator),
                        userID: .random(in: 0 ... .max, using: &generator)),
                    owner: Owner(
                        userID: .random(in: 0...9, using: &generator),
                        key: Bool.random(using: &generator) ? "key of \(number)" : nil)))
        }
        for number in 0..<Int.random(in: 0...5, using: &generator) {
            handover.undelivered.append(.random(number, using: &generator))
        }
        return handover
    }
}

extension Handover.Place {
    fileprivate static func random(
        _ number: Int, depth: UInt16, using generator: inout SeededGenerator
    ) -> Handover.Place {
        let former = FormerHolder(
            session: SessionIdentity(
                SessionID(using: &generator), isProven: .random(using: &generator)),
            rank: .random(in: 0 ... .max, using: &generator),
            isActive: .random(using: &generator), isDeclaredActive: .random(using: &generator))
        return Handover.Place(
            depth: depth, component: "node\(number)", isHeld: .random(using: &generator),
            isInGrace: .random(using: &generator), isPresented: .random(using: &generator),
            detachesOrphans: .random(using: &generator), isMount: .random(using: &generator),
            owner: Bool.random(using: &generator)
                ? Owner(
                    userID: .random(in: 0 ... .max, using: &generator),
                    key: Bool.random(using: &generator) ? "laptop" : nil)
                : nil,
            former: Bool.random(using: &generator) ? former : nil,
            since: .random(using: &generator))
    }
}

extension UndeliveredEvent {
    fileprivate static func random(
        _ number: Int, using generator: inout SeededGenerator
    ) -> UndeliveredEvent {
        UndeliveredEvent(
            id: EventID(session: SessionID(using: &generator), sequence: UInt64(number)),
            isProven: .random(using: &generator),
            name: EventName(unchecked: "Event\(number)"),
            lane: Lane.allCases.randomElement(using: &generator) ?? .event, origin: "/shop/till",
            start: "/shop", startCursor: .random(in: 0 ... .max, using: &generator),
            causes: .random(in: 0 ... .max, using: &generator),
            milliseconds: .random(in: 0 ... .max, using: &generator),
            endedAt: .random(using: &generator),
            reason: OutcomeCode.allCases.randomElement(using: &generator) ?? .unhandled,
            isQuarantined: .random(using: &generator),
            transformers: [[], ["/shop"], ["/shop", "/"]].randomElement(using: &generator) ?? [],
            fields: .fields(holding: Int.random(in: 0...9, using: &generator)),
            payload: Array(repeating: 2, count: Int.random(in: 0...999, using: &generator)))
    }
}

extension [UInt8] {
    fileprivate static func fields(holding milliseconds: Int) -> [UInt8] {
        var fields = FieldWriter()
        RaisedFields(name: EventName(unchecked: "Event"), holdMilliseconds: UInt32(milliseconds))
            .write(
                to: &fields)
        return fields.bytes
    }
}

extension Instant {
    fileprivate static func random(using generator: inout SeededGenerator) -> Instant {
        Instant(nanoseconds: .random(in: 0...1 << 39, using: &generator))
    }
}

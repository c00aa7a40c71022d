// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Checks that an accepted handover is written as an equal one, and that a broker that restores it serves its
/// peers and hands the same state over.
enum HandoverFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let handover = try? Handover(decoding: bytes) else {
            return
        }
        precondition((try? Handover(decoding: handover.encoded())) == handover)
        restoreTwice(handover)
        var bus = FuzzedBus()
        bus.restore(handover)
        bus.open()
        bus.greet(0)
        for query in [.tree(path: .root, depth: 9), .undelivered, .check, .rules]
            as [Query.Subject]
        {
            bus.receive(Query(request: 1, query).encoded(), from: 0)
        }
        for (index, id) in handover.undeliveredIDs.enumerated() {
            bus.receive(retry(id, sequence: UInt64(index) + 1), from: 0)
            bus.raise()
        }
        bus.advance(milliseconds: 1_000)
        bus.raise()
        bus.settle()
    }

    /// Checks that the first restore drops all entries beyond a limit, and a second one drops no more.
    private static func restoreTwice(_ handover: Handover) {
        var first = FuzzedBus()
        first.restore(handover)
        let left = first.handover
        precondition((try? Handover(decoding: left.encoded())) == left)
        var second = FuzzedBus()
        second.restore(left)
        precondition(second.handover == left, "\(left) became \(second.handover)")
    }

    /// Returns the message that retries an undelivered event.
    private static func retry(_ id: EventID, sequence: UInt64) -> [UInt8] {
        var fields = FieldWriter()
        RaisedFields(retried: id).write(to: &fields)
        let header = Header(
            .trigger, fieldsLength: UInt32(fields.bytes.count), sequence: sequence,
            code: LaneCode(.event, causes: 0).rawValue)
        return header.encoded() + fields.bytes
    }
}

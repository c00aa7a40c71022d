// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A handover that was read is written as it was read, and a broker that restores it hands over the
/// restored state and serves its peers.
enum HandoverFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let handover = try? Handover(decoding: bytes) else {
            return
        }
        precondition((try? Handover(decoding: handover.encoded())) == handover)
        handOn(handover)
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
            bus.receive(again(id, sequence: UInt64(index) + 1), from: 0)
            bus.raise()
        }
        bus.pass(milliseconds: 1_000)
        bus.raise()
        bus.settle()
    }

    /// Entries beyond a limit are dropped in the first restore, and not one at a time.
    private static func handOn(_ handover: Handover) {
        var first = FuzzedBus()
        first.restore(handover)
        let left = first.handover
        precondition((try? Handover(decoding: left.encoded())) == left)
        var second = FuzzedBus()
        second.restore(left)
        precondition(second.handover == left, "\(left) became \(second.handover)")
    }

    /// Retries an undelivered event.
    private static func again(_ id: EventID, sequence: UInt64) -> [UInt8] {
        var fields = FieldWriter()
        RaisedFields(retried: id).write(to: &fields)
        let header = Header(
            .trigger, fieldsLength: UInt32(fields.bytes.count), sequence: sequence,
            code: LaneCode(.event, causes: 0).rawValue)
        return header.encoded() + fields.bytes
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What has ended last, as far back as there is room. In the steady state, keeping one more
/// allocates nothing: it moves into the place of the oldest.
struct TraceRing: Sendable {
    private var records: [TraceRecord] = []
    private var next = 0
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The records, the oldest first.
    var all: [TraceRecord] {
        records.count < capacity
            ? records : Array(records[next...] + records[..<next])
    }

    /// What was kept last.
    var last: TraceRecord? {
        records.count < capacity || next == 0 ? records.last : records[next - 1]
    }

    /// The latest record of this event or publication.
    func find(_ id: EventID) -> TraceRecord? {
        var found: TraceRecord?
        for record in records where record.id == id {
            if let earlier = found, earlier.ended > record.ended {
                continue
            }
            found = record
        }
        return found
    }

    /// Takes a record. Its trail changes places with that of the oldest record, so that whoever
    /// made it has an array with room for the next.
    mutating func insert(_ record: TraceRecord, trail: inout [VisitRecord]) {
        guard capacity > 0 else {
            return
        }
        if records.count < capacity {
            records.append(record)
            swap(&records[records.count - 1].trail, &trail)
            return
        }
        swap(&records[next].trail, &trail)
        records[next].replace(by: record)
        next = next + 1 == capacity ? 0 : next + 1
    }
}

extension TraceRecord {
    /// Becomes `other`, but for the trail.
    fileprivate mutating func replace(by other: TraceRecord) {
        id = other.id
        name = other.name
        lane = other.lane
        origin = other.origin
        cause = other.cause
        begun = other.begun
        ended = other.ended
        outcome = other.outcome
        by = other.by
        failure = other.failure
        paths = other.paths
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What has ended last, as far back as there is room. In the steady state, keeping one more
/// allocates nothing: it moves into the place of the oldest.
struct TraceRing: Sendable {
    fileprivate struct Entry: Sendable {
        var trace = KeptTrace()
        var trail = Trail()
    }

    private var ring = SharedRing<Entry>()

    var count: Int {
        ring.count
    }

    /// Inserts a trace. Its trail is swapped with that of the oldest trace, so that the caller has
    /// an array with room for the next.
    mutating func insert(
        _ trace: consuming KeptTrace, trail: inout Trail, of account: AccountIndex,
        limit: UInt32, _ accounts: inout AccountTable
    ) {
        if let place = ring.append(for: account, in: .traces, limit: limit, &accounts, Entry()) {
            ring[place].replace(by: trace, &trail)
        }
    }

    /// Holds to a limit that was lowered.
    mutating func shrink(to limit: UInt32, _ accounts: inout AccountTable) {
        ring.shrink(to: limit, .traces, &accounts)
        ring.compact()
    }

    /// The records, the oldest first.
    func all(_ names: NameTable) -> [TraceRecord] {
        ring.elements.map { $0.trace.record($0.trail, names) }
    }

    /// The latest record of this event or publication.
    func find(_ key: EventKey, _ names: NameTable) -> TraceRecord? {
        let found = ring.elements.last { entry in
            entry.trace.sequence == key.id.sequence && entry.trace.session == key.session
        }
        return found.map { $0.trace.record($0.trail, names) }
    }

    /// Marks the numbers of names that the records need.
    func mark(in marks: inout NumberMarks) {
        for place in ring.places {
            marks.mark(ring[place].trace.name)
            for visit in ring[place].trail.visits {
                marks.mark(visit.name)
            }
        }
    }
}

extension TraceRing.Entry {
    fileprivate mutating func replace(by trace: consuming KeptTrace, _ trail: inout Trail) {
        self.trace = trace
        swap(&self.trail, &trail)
    }
}

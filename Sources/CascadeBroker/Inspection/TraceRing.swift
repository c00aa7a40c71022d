// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What has ended last, as far back as there is room. In the steady state, keeping one more
/// allocates nothing: it moves into the place of the oldest.
struct TraceRing: Sendable {
    fileprivate struct Entry: Sendable {
        var trace: KeptTrace
        var trail: [TrailVisit]
    }

    private var entries: [Entry] = []
    private var next = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Takes a trace. Its trail changes places with that of the oldest, so that whoever made it has
    /// an array with room for the next.
    mutating func insert(_ trace: consuming KeptTrace, trail: inout [TrailVisit]) {
        guard entries.count == capacity else {
            entries.append(Entry(trace: trace, trail: trail))
            trail = []
            return
        }
        guard capacity > 0 else {
            return
        }
        entries[next].replace(by: trace, &trail)
        next = next + 1 == capacity ? 0 : next + 1
    }

    var count: Int {
        entries.count
    }

    /// The records, the oldest first.
    func all(_ names: NameTable) -> [TraceRecord] {
        (entries[next...] + entries[..<next]).map { $0.trace.record($0.trail, names) }
    }

    /// What was kept last.
    func last(_ names: NameTable) -> TraceRecord? {
        let entry = next == 0 ? entries.last : entries[next - 1]
        return entry.map { $0.trace.record($0.trail, names) }
    }

    /// The latest record of this event or publication.
    func find(_ key: EventKey, _ names: NameTable) -> TraceRecord? {
        let isFound = { (entry: Entry) in
            entry.trace.sequence == key.id.sequence && entry.trace.session == key.session
        }
        let found = entries[..<next].last(where: isFound) ?? entries[next...].last(where: isFound)
        return found.map { $0.trace.record($0.trail, names) }
    }
}

extension TraceRing.Entry {
    fileprivate mutating func replace(by trace: consuming KeptTrace, _ trail: inout [TrailVisit]) {
        self.trace = trace
        swap(&self.trail, &trail)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The latest ended messages, as far back as there is room. In the steady state, keeping one more
/// allocates nothing: it replaces the oldest.
struct TraceRing: Sendable {
    struct Entry: Sendable {
        var trace = StoredTrace()
        var trail = Trail()
    }

    private var ring = SharedRing<Entry>()

    var count: Int {
        ring.count
    }

    /// Makes the place of the youngest trace, which is put there next.
    @inline(__always)
    mutating func makePlace(
        for account: AccountIndex, limit: UInt32, _ accounts: inout AccountTable
    ) -> SharedRing<Entry>.Place? {
        ring.append(for: account, in: .traces, limit: limit, &accounts, Entry())
    }

    /// Puts a trace in its place. Its trail is swapped with that of the trace that was there, so that
    /// the caller has an array with room for the next.
    @inline(__always)
    mutating func put(
        _ trace: consuming StoredTrace, _ trail: inout Trail, at place: SharedRing<Entry>.Place
    ) {
        ring[place].replace(by: trace, &trail)
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

    /// Returns the records of the messages that an event has caused, the oldest first.
    func all(causedBy id: EventID, _ names: NameTable) -> [TraceRecord] {
        ring.elements.filter { $0.trace.details?.cause == id }
            .map { $0.trace.record($0.trail, names) }
    }

    /// Inserts the names that the records need.
    func insertNames(into used: inout SlotSet<NameIndex>) {
        for place in ring.places {
            used.insert(ring[place].trace.name)
            for visit in ring[place].trail.visits {
                used.insert(visit.name)
            }
        }
    }
}

extension TraceRing.Entry {
    @inline(__always)
    fileprivate mutating func replace(by trace: consuming StoredTrace, _ trail: inout Trail) {
        self.trace = trace
        swap(&self.trail, &trail)
    }
}

/// A ``TraceRecord`` as the broker keeps it, for every event: small, and kept without allocation.
struct StoredTrace: Sendable {
    /// Details that few events have.
    final class Details: Sendable {
        let name: EventName?
        let cause: EventID?
        let traceParent: TraceParent?
        let failure: Failure?
        /// The node of another bus that ended the message there.
        let handler: NodePath?
        let paths: [NodePath]
        /// The number of further paths that were left out.
        let omittedPathCount: Int

        /// The most paths that are kept.
        private static let pathsMax = 256

        init(
            name: EventName?, cause: EventID?, traceParent: TraceParent?, failure: Failure?,
            handler: NodePath? = nil, paths: [NodePath]
        ) {
            self.name = name
            self.cause = cause
            self.traceParent = traceParent
            self.failure = failure
            self.handler = handler
            self.paths = Array(paths.prefix(Self.pathsMax))
            omittedPathCount = max(0, paths.count - Self.pathsMax)
        }

        /// Returns the details of an event; `nil` if it has none.
        ///
        /// - Parameter isNumbered: whether the name that it was raised under has a number.
        static func details(
            of words: MessageFields?, isNumbered: Bool, _ failure: Failure?, _ paths: [NodePath],
            _ handler: NodePath?
        ) -> Details? {
            guard
                !isNumbered || words?.raised.cause != nil || words?.raised.traceParent != nil
                    || failure != nil || !paths.isEmpty || handler != nil
            else {
                return nil
            }
            return Details(
                name: words?.raised.name, cause: words?.raised.cause,
                traceParent: words?.raised.traceParent, failure: failure, handler: handler,
                paths: paths)
        }
    }

    var session = SessionIdentity.daemon
    var sequence: UInt64 = 0
    var begun = Instant(nanoseconds: 0)
    var ended = Instant(nanoseconds: 0)
    var origin = NodePath.root
    /// The number of the name under which it was raised, if it has one.
    var name = NameIndex.none
    /// `nil` for a publication.
    var lane: Lane?
    var outcome = OutcomeCode.handled
    /// Whether the node visited last ended the event.
    var isByLast = false
    var details: Details?

    func record(_ trail: Trail, _ names: NameTable) -> TraceRecord {
        let visits = trail.records(names)
        return TraceRecord(
            id: EventID(session: session.id, sequence: sequence),
            name: names.name(name) ?? details?.name, lane: lane,
            origin: origin, cause: details?.cause, traceParent: details?.traceParent, begun: begun,
            ended: ended, outcome: outcome,
            by: details?.handler ?? (isByLast ? visits.last?.path : nil),
            failure: details?.failure, trail: visits,
            omittedVisitCount: trail.omittedCount, paths: details?.paths ?? [],
            omittedPathCount: details?.omittedPathCount ?? 0)
    }
}

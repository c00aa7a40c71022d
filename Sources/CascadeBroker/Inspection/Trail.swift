// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The visits of an event, in order: all of them, or the first and the last where they would take
/// too many bytes.
struct Trail: Sendable {
    /// Bytes of the visits that are kept, their paths included. Many events are under way, and many
    /// that have ended can be looked at; most have one visit or two.
    static let byteCountMax = 16 << 10
    private static let transformersMax = 64

    /// The first visit, which most events have alone, and which stays in any case.
    private var first: TrailVisit?
    private var others: [TrailVisit] = []
    /// How many visits between the first and the last ones were left out.
    private(set) var omittedCount: UInt32 = 0
    /// The nodes that changed the payload at visits that were left out, as far as there is room.
    private(set) var omittedTransformers: [NodePath] = []
    /// The place of the oldest visit that is left out next, once some were.
    private var gap = 0
    /// Bytes of the visits behind the first.
    private var byteCount = 0

    var isEmpty: Bool {
        if case .none = first { true } else { false }
    }

    var visits: [TrailVisit] {
        first.map { [$0] + others } ?? []
    }

    @inline(__always)
    mutating func append(_ visit: consuming TrailVisit) {
        if case .none = first {
            first = visit
        } else {
            appendOther(visit)
        }
    }

    /// Appends a visit behind the first. Leaves out visits between the first and this one while all
    /// take too many bytes.
    private mutating func appendOther(_ visit: consuming TrailVisit) {
        byteCount += visit.byteCount
        others.append(visit)
        let firstByteCount = first?.byteCount ?? 0
        while firstByteCount + byteCount > Self.byteCountMax, others.count > 1 {
            if omittedCount == 0 {
                gap = (others.count - 1) / 2
            }
            let omitted = others.remove(at: min(gap, others.count - 2))
            byteCount -= omitted.byteCount
            omittedCount += 1
            if omitted.changesPayload, omittedTransformers.count < Self.transformersMax,
                !omittedTransformers.contains(omitted.path)
            {
                omittedTransformers.append(omitted.path)
            }
        }
    }

    /// The nodes that changed the payload, by transforming it or by failing.
    var transformers: [NodePath] {
        var paths = omittedTransformers
        for visit in visits where visit.changesPayload && !paths.contains(visit.path) {
            paths.append(visit.path)
        }
        return paths
    }

    /// Removes all visits. Their room stays for the next event.
    @inline(__always)
    mutating func clear() {
        first = nil
        if !others.isEmpty {
            clearOthers()
        }
    }

    private mutating func clearOthers() {
        others.removeAll(keepingCapacity: true)
        omittedCount = 0
        omittedTransformers = []
        byteCount = 0
    }

    func records(_ names: NameTable) -> [VisitRecord] {
        visits.map { $0.record(names) }
    }
}

extension TrailVisit {
    fileprivate var changesPayload: Bool {
        kind != .observe && (verdict == .replaced || verdict == .failed)
    }

    fileprivate var byteCount: Int {
        MemoryLayout<TrailVisit>.stride + path.description.utf8.count
            + (words?.message?.utf8.count ?? 0) + (words?.title?.utf8.count ?? 0)
    }
}

/// One visit of an event's trail as the broker notes it, for every event: small, and made without
/// allocation.
struct TrailVisit: Sendable {
    /// Details that few visits have beyond their numbers.
    final class Words: Sendable {
        /// The event's name, where it has no number.
        let name: EventName?
        /// The message of an error.
        let message: String?
        let title: String?

        init(name: EventName?, message: String?, title: String?) {
            self.name = name
            self.message = message
            self.title = title
        }
    }

    var path: NodePath
    var words: Words?
    var microseconds: UInt32
    /// When it was sent, from the event's beginning on, and how long it then waited; ``VisitTimes/unknown`` if
    /// that is not known.
    var at = VisitTimes.unknown
    var waited = VisitTimes.unknown
    /// The number of the event's name as it was.
    var name: NameIndex
    var responder: UInt16
    var kind: ResponderKind
    var verdict: VerdictCode
    var hasTimedOut: Bool

    func record(_ names: NameTable) -> VisitRecord {
        VisitRecord(
            path: path, responder: Int(responder), kind: kind,
            name: names.name(name) ?? words?.name ?? EventName(ErrorCode.badName),
            verdict: verdict, hasTimedOut: hasTimedOut, microseconds: Int(microseconds),
            at: VisitTimes.known(at), waited: VisitTimes.known(waited), message: words?.message,
            title: words?.title)
    }
}

/// When a visit was sent, and how long it waited until its node accepted it.
struct VisitTimes: Sendable {
    /// Stands for a time in microseconds that is not known.
    static let unknown = UInt32.max

    var sentAt: Instant
    /// Microseconds.
    var waited = unknown

    static func microseconds(from begin: Instant, to end: Instant) -> UInt32 {
        UInt32(clamping: min(end.microseconds(since: begin), UInt64(unknown) - 1))
    }

    static func known(_ microseconds: UInt32) -> Int? {
        microseconds == unknown ? nil : Int(microseconds)
    }
}

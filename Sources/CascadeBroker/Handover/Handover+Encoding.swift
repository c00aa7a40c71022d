// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension Handover {
    /// The first bytes of a handover. The number changes when releases can no longer read each
    /// other's.
    static let signature = Array("cascade handover 1\n".utf8)

    package func encoded() -> [UInt8] {
        var writer = HandoverWriter()
        writer.record(.ranks) { $0.append(lastRank) }
        for place in places {
            writer.record(.place) { $0.append(place) }
        }
        for value in values {
            writer.record(.value) { $0.append(value) }
        }
        for event in undelivered {
            writer.record(.undelivered) { $0.append(event) }
        }
        return Self.signature + writer.bytes
    }
}

extension HandoverWriter {
    fileprivate mutating func append(_ place: Handover.Place) {
        append(place.depth)
        append(place.component)
        append(
            flags: place.isHeld, place.isInGrace, place.isPresented, place.detachesOrphans,
            place.owner != nil, place.former != nil, place.isMount)
        append(place.owner?.userID ?? 0)
        append(place.owner?.key ?? "")
        append(place.since.nanoseconds)
        if let former = place.former {
            append(former.session.id)
            append(former.rank)
            append(
                flags: former.isActive, former.isDeclaredActive, former.session.isProven)
        }
    }

    fileprivate mutating func append(_ value: Handover.Value) {
        append(value.path.description)
        append(value.key.description)
        append(value.json)
        append(
            flags: value.isSticky, value.isForItself, value.owner != nil, value.isFallback,
            value.source != nil)
        append(value.since.nanoseconds)
        append(value.author.processID)
        append(value.author.userID)
        if let owner = value.owner {
            append(owner.userID)
            append(owner.key ?? "")
        }
        // Earlier releases ignore the fields from here on.
        if let source = value.source {
            append(source)
        }
    }

    fileprivate mutating func append(_ event: UndeliveredEvent) {
        append(event.id.session)
        append(event.id.sequence)
        append(event.name.description)
        append(event.lane.rawValue)
        append(event.origin.description)
        append(event.start.description)
        append(event.startCursor)
        append(event.causes)
        append(event.milliseconds)
        append(event.endedAt.nanoseconds)
        append(event.reason.rawValue)
        append(flags: event.isQuarantined, event.isProven)
        append(event.fields)
        append(event.payload)
        // Earlier releases ignore the fields from here on.
        append(flags: event.owner != nil)
        append(event.owner?.userID ?? 0)
        append(event.owner?.key ?? "")
        let transformers = event.transformers.prefix(Int(UInt16.max))
        append(UInt16(transformers.count))
        for path in transformers {
            append(path.description)
        }
    }
}

/// Writes records: a kind, a length, and parts of natural width behind it.
struct HandoverWriter {
    private(set) var bytes: [UInt8] = []

    mutating func record(_ kind: HandoverRecord, _ write: (inout HandoverWriter) -> Void) {
        append(kind.rawValue)
        let place = bytes.count
        append(UInt32(0))
        write(&self)
        let length = UInt32(bytes.count - place - 4)
        for index in 0..<4 {
            bytes[place + index] = UInt8(truncatingIfNeeded: length >> (8 * index))
        }
    }

    mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ block: [UInt8]) {
        append(UInt32(block.count))
        bytes.append(contentsOf: block)
    }

    mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ session: SessionID) {
        append(session.high)
        append(session.low)
    }

    /// The first flag is the lowest bit.
    mutating func append(flags: Bool...) {
        append(flags.reversed().reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) })
    }
}

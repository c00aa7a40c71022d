// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension Handover {
    /// Throws ``HandoverError`` if the bytes were not written by a daemon.
    package init(decoding bytes: [UInt8]) throws(HandoverError) {
        guard bytes.starts(with: Self.signature) else {
            throw HandoverError("it is of another kind, or of a release that is not understood")
        }
        var reader = HandoverReader(bytes[Self.signature.count...])
        while !reader.isAtEnd {
            let kind: UInt8 = try reader.integer()
            var record = HandoverReader(try reader.block())
            switch HandoverRecord(rawValue: kind) {
            case .ranks: lastRank = try record.integer()
            case .place: places.append(try record.place())
            case .value: values.append(try record.value())
            case .undelivered: undelivered.append(try record.undelivered())
            case nil: break
            }
        }
        try checkPlaces()
    }

    /// Each place has to stand below one before it, at a path that can be written.
    private func checkPlaces() throws(HandoverError) {
        // The length of the path to each level of the tree, the root's first.
        var lengths = [0]
        for place in places {
            guard place.depth >= 1, place.depth <= lengths.count else {
                throw HandoverError("a place is nowhere in the tree")
            }
            lengths.removeLast(lengths.count - Int(place.depth))
            let length = lengths[Int(place.depth) - 1] + 1 + place.component.utf8.count
            guard length <= NodePath.byteCountMax else {
                throw HandoverError(
                    "a place has a path of more than \(NodePath.byteCountMax) bytes")
            }
            lengths.append(length)
        }
    }
}

extension HandoverReader {
    fileprivate mutating func place() throws(HandoverError) -> Handover.Place {
        let depth: UInt16 = try integer()
        let component = try text()
        do {
            try NameRule.check(component, as: "a component")
        } catch {
            throw HandoverError(error.description)
        }
        let flags = try flags()
        let owner = try owner()
        let since = try instant()
        return Handover.Place(
            depth: depth, component: component, isHeld: flags[0], isInGrace: flags[1],
            isPresented: flags[2], detachesOrphans: flags[3], isMount: flags[6],
            owner: flags[4] ? owner : nil,
            former: flags[5] ? try former() : nil, since: since)
    }

    private mutating func former() throws(HandoverError) -> FormerHolder {
        let session = try session()
        let rank: UInt64 = try integer()
        let flags = try flags()
        return FormerHolder(
            session: SessionIdentity(session, isProven: flags[2]), rank: rank,
            isActive: flags[0], isDeclaredActive: flags[1])
    }

    fileprivate mutating func value() throws(HandoverError) -> Handover.Value {
        let path = try path()
        let key = try name()
        let json = try text()
        let flags = try flags()
        let since = try instant()
        let author = Provenance(processID: try integer(), userID: try integer())
        return Handover.Value(
            path: path, key: key, json: json, isSticky: flags[0], isForItself: flags[1],
            since: since, author: author, owner: flags[2] ? try owner() : nil,
            isFallback: flags[3], source: flags[4] ? try text() : nil)
    }

    private mutating func owner() throws(HandoverError) -> Owner {
        let userID: UInt32 = try integer()
        let key = try text()
        return Owner(userID: userID, key: key.isEmpty ? nil : key)
    }

    fileprivate mutating func undelivered() throws(HandoverError) -> UndeliveredEvent {
        let id = EventID(session: try session(), sequence: try integer())
        let name = try name()
        guard let lane = Lane(rawValue: try integer()) else {
            throw HandoverError("there is no such lane")
        }
        let origin = try path()
        let start = try path()
        let startCursor: UInt16 = try integer()
        let causes: UInt16 = try integer()
        let milliseconds: UInt32 = try integer()
        let endedAt = try instant()
        guard let reason = OutcomeCode(rawValue: try integer()) else {
            throw HandoverError("there is no such outcome")
        }
        let flags = try flags()
        let fields = Array(try block())
        // It may be raised again, and then others have to read them.
        guard (try? RaisedFields(fields: FieldReader(fields))) != nil else {
            throw HandoverError("the fields of an undelivered event cannot be read")
        }
        let payload = Array(try block())
        return UndeliveredEvent(
            id: id, isProven: flags[1], name: name, lane: lane, origin: origin, start: start,
            startCursor: startCursor, causes: causes, milliseconds: milliseconds,
            endedAt: endedAt, reason: reason, isQuarantined: flags[0],
            owner: try undeliveredOwner(), transformers: try transformers(), fields: fields,
            payload: payload)
    }

    /// Earlier releases did not record the nodes that had changed the payload.
    private mutating func transformers() throws(HandoverError) -> [NodePath] {
        guard !isAtEnd else {
            return []
        }
        let count: UInt16 = try integer()
        var paths: [NodePath] = []
        for _ in 0..<count {
            paths.append(try path())
        }
        return paths
    }

    /// Earlier releases did not record the owner of an undelivered event.
    private mutating func undeliveredOwner() throws(HandoverError) -> Owner? {
        guard !isAtEnd else {
            return nil
        }
        let isKnown = try flags()[0]
        let userID: UInt32 = try integer()
        let key = try text()
        guard isKnown else {
            return nil
        }
        return Owner(userID: userID, key: key.isEmpty ? nil : key)
    }
}

/// Reads the output of ``HandoverWriter``, and never beyond its end.
struct HandoverReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool {
        rest.isEmpty
    }

    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type = Value.self
    ) throws(HandoverError) -> Value {
        try take(Value.bitWidth / 8).reversed().reduce(0) { value, byte in
            value << 8 | Value(truncatingIfNeeded: byte)
        }
    }

    mutating func block() throws(HandoverError) -> ArraySlice<UInt8> {
        try take(Int(integer(UInt32.self)))
    }

    mutating func text() throws(HandoverError) -> String {
        guard let text = String(validating: try block(), as: UTF8.self) else {
            throw HandoverError("a text is no UTF-8")
        }
        return text
    }

    mutating func name() throws(HandoverError) -> EventName {
        let text = try text()
        do {
            return try EventName(text)
        } catch {
            throw HandoverError(error.description)
        }
    }

    mutating func path() throws(HandoverError) -> NodePath {
        let text = try text()
        do {
            return try NodePath(text)
        } catch {
            throw HandoverError(error.description)
        }
    }

    mutating func session() throws(HandoverError) -> SessionID {
        SessionID(high: try integer(), low: try integer())
    }

    mutating func instant() throws(HandoverError) -> Instant {
        Instant(nanoseconds: try integer())
    }

    /// The lowest bit first.
    mutating func flags() throws(HandoverError) -> [Bool] {
        let bits: UInt8 = try integer()
        return (0..<8).map { bits >> $0 & 1 == 1 }
    }

    private mutating func take(_ byteCount: Int) throws(HandoverError) -> ArraySlice<UInt8> {
        guard rest.count >= byteCount else {
            throw HandoverError("it ends too early")
        }
        defer { rest = rest.dropFirst(byteCount) }
        return rest.prefix(byteCount)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What a frame tells, of a bus now or at a moment of the past. All values are JSON texts.
struct FrameContent: Sendable {
    /// The lists of a frame. Those of parts are cut where the room of a frame ends.
    enum Kind: String, CaseIterable, Sendable {
        case nodes, gone, untoldBelow, ended, seconds, happenings, activity
    }

    /// An element of a list, with the version in which it came.
    struct Part: Sendable {
        let kind: Kind
        let version: UInt64
        let text: String
    }

    /// A member of the frame that is told whole.
    struct Member: Sendable {
        let name: String
        let text: String

        init(_ name: String, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// Distinguishes contents whose versions have nothing to do with each other.
    var epoch: String
    /// The version of the newest part.
    var version: UInt64
    var parts: [Part] = []
    var members: [Member] = []
}

// MARK: - The bus now

extension BusView {
    /// Returns what has changed since a version.
    ///
    /// - Parameters:
    ///   - after: The version; `nil` for everything.
    ///   - byteCount: The size in bytes behind which no further node is told, as more would have no room in a
    ///     frame; `nil` for all.
    func content(after version: UInt64?, byteCount: Int? = nil) -> FrameContent {
        let after = version ?? 0
        var content = FrameContent(epoch: String(epoch), version: self.version)
        var size = 0
        for node in nodes.changed(after: after) {
            let text = node.row.text
            content.parts.append(.init(kind: .nodes, version: node.version, text: text))
            guard let byteCount else {
                continue
            }
            // One that fits in no frame is left out of it.
            size += text.utf8.count < byteCount ? text.utf8.count : 0
            guard size <= byteCount else {
                break
            }
        }
        let add = { (kind: FrameContent.Kind, list: [Versioned]) in
            let new = list.reversed().prefix { $0.version > after }.reversed()
            content.parts += new.map { .init(kind: kind, version: $0.version, text: $0.json.text) }
        }
        if after > 0 {
            add(.gone, gone)
        }
        for (version, number, count) in tree.untold.changed(after: after)
        where nodes[number]?.isTold == true {
            let row = JSONValue.array([.integer(number), .integer(count)])
            content.parts.append(.init(kind: .untoldBelow, version: version, text: row.text))
        }
        let ended = after > 0 ? ended.after(after) : ended.first
        content.parts += ended.map { .init(kind: .ended, version: $0.version, text: $0.text) }
        add(.seconds, seconds)
        add(.happenings, happenings)
        content.parts += nodes.active(after: after).map {
            .init(kind: .activity, version: $0.activityVersion, text: $0.activityRow.text)
        }
        content.members = members(after: after).map { .init($0.key, $0.value.text) }
        return content
    }

    private func members(after: UInt64) -> [JSONValue.Member] {
        let changed = { (part: Versioned?) -> JSONValue? in
            part.flatMap { $0.version > after ? $0.json : nil }
        }
        var members = JSONValue.memberList([
            "untold": untold.map { .integer($0) },
            "when": .integer(when.microseconds / 1_000), "bus": .string(bus),
            "release": .string(release),
        ])
        switch connection {
        case .live: members.append(.init(key: "state", value: "live"))
        case .away(let since, let reason):
            members += JSONValue.memberList([
                "state": "away", "since": .integer(since.microseconds / 1_000),
                "reason": .string(reason),
            ])
        }
        return members
            + JSONValue.memberList([
                "totals": changed(totals),
                "undelivered": changed(undelivered).map(Self.shown(undelivered:)),
                "findings": changed(findings).map { Self.bounded($0, byteCount: 12_288) },
                "underWay": changed(underWay).map { Self.bounded($0, byteCount: 12_288) },
                "leftOut": changed(leftOut),
            ])
    }

    /// The length of a payload in bytes up to which a list of undelivered messages has it. Pages ask for
    /// others.
    static let listedPayloadByteCountMax = 1_024

    /// Returns a list of undelivered messages as a frame has it: the newest, without long payloads, of which
    /// it has the length.
    static func shown(undelivered list: JSONValue) -> JSONValue {
        let messages = list.elements.map { message -> JSONValue in
            guard let byteCount = message["payload"]?.text.utf8.count,
                byteCount > listedPayloadByteCountMax
            else {
                return message
            }
            let left = JSONValue.Member(key: "leftOutBytes", value: .integer(byteCount))
            return .object(message.members.map { $0.key == "payload" ? left : $0 })
        }
        let newest = bounded(.array(messages.reversed()), byteCount: 24_576)
        return .array(newest.elements.reversed())
    }

    /// Returns a list without the elements that would exceed a size in bytes, and those behind.
    static func bounded(_ list: JSONValue, byteCount: Int) -> JSONValue {
        var room = byteCount
        return .array(
            Array(
                list.elements.prefix { element in
                    room -= element.text.utf8.count + 1
                    return room >= 0
                }))
    }
}

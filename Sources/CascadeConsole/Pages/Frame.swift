// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What a page asks for: what it has, and what it shows.
struct FrameRequest: Sendable {
    /// The limit of the number of nodes whose numbers a page may ask for.
    static let nodeCountMax = 512

    /// The page's own name for itself.
    let page: String
    /// The epoch of the frames that the page has; `nil` before the first.
    let epoch: String?
    /// The last frame that the page has.
    let after: UInt64
    /// The nodes whose activity the page shows.
    let nodes: Set<Int>
    /// Whether the answer must not wait for a change.
    let isUrgent: Bool

    /// Reads the body of a request. Throws ``Refusal`` if a member is missing or of another form.
    init(_ json: JSONValue) throws(Refusal) {
        guard let page = json["page"]?.string, (1...64).contains(page.utf8.count) else {
            throw Refusal(400, "badFrame", "The member 'page' is a text of at most 64 bytes.")
        }
        self.page = page
        epoch = json["epoch"]?.string
        after = json["after"]?.integer() ?? 0
        let numbers = json["nodes"]?.elements ?? []
        guard numbers.count <= Self.nodeCountMax else {
            throw Refusal(400, "badFrame", "The member 'nodes' has at most 512 numbers.")
        }
        nodes = Set(numbers.compactMap { $0.integer() })
        isUrgent = json["urgent"]?.bool ?? false
    }
}

/// The difference between what a page has and what the console knows.
struct Frame {
    static let schemaName = "cascade/v1/frame"
    /// The limit of a frame's size in bytes. The rest is in the next frame.
    static let byteCountMax = 262_144
    /// The size of a tree up to which a page is told the activity of every node.
    static let smallTreeMax = 1_000
    /// The number of messages that a page is told of at the beginning.
    private static let firstEndedCount = 400
    /// The room for what is not cut: the head, totals, undelivered messages and findings.
    private static let reserve = 98_304

    let text: String
    /// Whether there is more to tell.
    let hasMore: Bool

    /// Makes the frame for a page.
    init(_ view: BusView, for request: FrameRequest, now: Timestamp) {
        let isWhole = request.epoch != String(view.epoch) || request.after > view.version
        let after = isWhole ? 0 : request.after
        let parts = Self.parts(of: view, after: after).sorted { $0.version < $1.version }
        var room = Self.byteCountMax - Self.reserve
        var lists: [Kind: [JSONValue]] = [:]
        var upTo = view.version
        var hasMore = false
        for (index, part) in parts.enumerated() {
            let size = part.json.text.utf8.count + 1
            // A part that fits in no frame is left out rather than told for ever.
            if size > room, index > 0 {
                upTo = parts[index - 1].version
                hasMore = true
                break
            }
            room -= size
            lists[part.kind, default: []].append(part.json)
        }
        self.hasMore = hasMore
        let changed = { (part: BusView.Versioned?) -> JSONValue? in
            part.flatMap { $0.version > after ? $0.json : nil }
        }
        var members = JSONValue.memberList([
            "schema": .string(Self.schemaName), "epoch": .string(String(view.epoch)),
            "frame": .integer(upTo), "after": isWhole ? nil : .integer(after),
            "more": hasMore ? true : nil, "when": .integer(view.when.microseconds / 1_000),
            "now": .integer(now.microseconds / 1_000), "bus": .string(view.bus),
            "release": .string(view.release),
        ])
        switch view.connection {
        case .live: members.append(.init(key: "state", value: "live"))
        case .away(let since, let reason):
            members += JSONValue.memberList([
                "state": "away", "since": .integer(since.microseconds / 1_000),
                "reason": .string(reason),
            ])
        }
        for kind in Kind.allCases {
            if let list = lists[kind] {
                members.append(.init(key: kind.rawValue, value: .array(list)))
            }
        }
        let activity = Self.activity(of: view, request, after: after)
        members += JSONValue.memberList([
            "activity": activity.isEmpty ? nil : .array(activity),
            "totals": changed(view.totals),
            "undelivered": changed(view.undelivered).map(Self.bounded),
            "findings": changed(view.findings).map(Self.bounded),
            "underWay": changed(view.underWay), "leftOut": changed(view.leftOut),
        ])
        text = JSONValue.object(members).text
    }

    /// The lists of a frame that are cut where the room ends.
    private enum Kind: String, CaseIterable {
        case nodes, gone, ended, seconds, happenings
    }

    private static func parts(
        of view: BusView, after: UInt64
    ) -> [(kind: Kind, version: UInt64, json: JSONValue)] {
        var parts = view.nodes.changed(after: after).map {
            (kind: Kind.nodes, version: $0.version, json: $0.row)
        }
        let add = { (kind: Kind, list: ArraySlice<BusView.Versioned>) in
            let new = list.reversed().prefix { $0.version > after }.reversed()
            parts += new.map { (kind, $0.version, $0.json) }
        }
        if after > 0 {
            add(.gone, view.gone[...])
        }
        add(.ended, after > 0 ? view.ended[...] : view.ended.suffix(firstEndedCount))
        add(.seconds, view.seconds[...])
        add(.happenings, view.happenings[...])
        return parts
    }

    /// The activity of all nodes of a small tree that changed; of those that a page shows in a large one.
    private static func activity(
        of view: BusView, _ request: FrameRequest, after: UInt64
    ) -> [JSONValue] {
        let isLarge = view.nodes.count > smallTreeMax
        return view.nodes.active(after: after, shown: isLarge ? request.nodes : nil)
            .map(\.activityRow)
    }

    /// Returns a list without the elements that would exceed a third of the reserve, and those behind.
    private static func bounded(_ list: JSONValue) -> JSONValue {
        var room = reserve / 3
        return .array(
            Array(
                list.elements.prefix { element in
                    room -= element.text.utf8.count + 1
                    return room >= 0
                }))
    }
}

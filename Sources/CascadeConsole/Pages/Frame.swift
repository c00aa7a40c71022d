// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What a page asks for: what it has, and what it shows.
struct FrameRequest: Sendable {
    /// The page's own name for itself.
    let page: String
    /// The epoch of the frames that the page has; `nil` before the first.
    private(set) var epoch: String?
    /// The last frame that the page has.
    let after: UInt64
    /// Whether the answer must not wait for a change.
    let isUrgent: Bool
    /// The moment that the page shows, in milliseconds since 1970; `nil` for now.
    let moment: Int64?

    /// Reads the body of a request. Throws ``Refusal`` if a member is missing or of another form.
    init(_ json: JSONValue) throws(Refusal) {
        guard let page = json["page"]?.string, (1...64).contains(page.utf8.count) else {
            throw Refusal(400, "badFrame", "The member 'page' is a text of at most 64 bytes.")
        }
        self.page = page
        epoch = json["epoch"]?.string
        after = json["after"]?.integer() ?? 0
        isUrgent = json["urgent"]?.bool ?? false
        moment = json["at"]?.integer()
    }
}

/// The difference between what a page has and what the console knows.
struct Frame {
    static let schemaName = "cascade/v1/frame"
    /// The limit of a frame's size in bytes. The rest is in the next frame.
    static let byteCountMax = 262_144
    /// The room for what is not cut: the head, totals, the bounded lists and what is said of other buses.
    static let reserve = 73_728

    /// The room for what is cut.
    static let room = byteCountMax - reserve

    let text: String
    /// Whether there is more to tell.
    let hasMore: Bool

    /// What a frame of the bus now tells: pages that have seen the same, and show the same, are told the same.
    struct Subject: Equatable {
        let epoch: UInt64
        let version: UInt64
        /// The version that the page has; `nil` for a whole frame.
        let after: UInt64?

        init(_ view: BusView, for request: FrameRequest) {
            epoch = view.epoch
            version = view.version
            after = request.after(epoch: String(view.epoch), version: view.version)
        }
    }

    /// Makes the frame of what the bus is now.
    init(_ view: BusView, for request: FrameRequest, now: Timestamp) {
        let subject = Subject(view, for: request)
        self.init(
            view.content(after: subject.after, byteCount: Self.room),
            after: subject.after, now: now)
    }

    /// Makes a frame.
    ///
    /// - Parameter after: The version that the page has; `nil` for a whole frame.
    init(_ content: FrameContent, after: UInt64?, now: Timestamp) {
        let parts = content.parts.filter { $0.version > after ?? 0 }
            .sorted { $0.version < $1.version }
        var room = Self.room
        var lists: [FrameContent.Kind: [String]] = [:]
        var upTo = content.version
        var hasMore = false
        for (index, part) in parts.enumerated() {
            let size = part.text.utf8.count + 1
            // A part that fits in no frame is left out rather than told for ever.
            guard size <= Self.room else {
                continue
            }
            if size > room {
                upTo = parts[index - 1].version
                hasMore = true
                break
            }
            room -= size
            lists[part.kind, default: []].append(part.text)
        }
        self.hasMore = hasMore
        let head = JSONValue.memberList([
            "schema": .string(Self.schemaName), "epoch": .string(content.epoch),
            "frame": .integer(upTo), "after": after.map { .integer($0) },
            "more": hasMore ? true : nil, "now": .integer(now.microseconds / 1_000),
        ])
        var members = head.map { FrameContent.Member($0.key, $0.value.text) } + content.members
        for kind in FrameContent.Kind.allCases {
            if let list = lists[kind] {
                members.append(.init(kind.rawValue, "[\(list.joined(separator: ","))]"))
            }
        }
        text = "{\(members.map { "\"\($0.name)\":\($0.text)" }.joined(separator: ","))}"
    }
}

extension FrameRequest {
    /// The request of a page that has no frame yet.
    var fromNothing: FrameRequest {
        var request = self
        request.epoch = nil
        return request
    }

    /// The version that the page has; `nil` if it has nothing of the epoch.
    func after(epoch: String, version: UInt64) -> UInt64? {
        self.epoch == epoch && after <= version ? after : nil
    }
}

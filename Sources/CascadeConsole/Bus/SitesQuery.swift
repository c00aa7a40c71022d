// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeSession
import CascadeWire

/// A question for the sites around a bus, which the bridge at its root answers. The bus itself knows none.
struct SitesQuery: Sendable {
    /// The time within which the bridge answers, in milliseconds.
    private static let deadlineMilliseconds: UInt32 = 5_000

    let link: Link

    /// Returns what the bus's own site knows: itself, the site above it, and those below it, with the
    /// states of their links. Throws ``Refusal`` if the bus is no site, or its bridge does not answer.
    func document() async throws -> SitesDocument {
        let root = try await link.query(.tree(path: .root, depth: 0))
        guard try Header(parsing: root).command != .refused else {
            throw Refusal(403, "denied", try Refused(parsing: root).sentence)
        }
        // A question that nobody takes would count as unhandled.
        let bridge = try TreeAnswer(parsing: root).nodes.first
        guard bridge?.responders.contains(where: { $0.name == .inspection }) ?? false else {
            throw Refusal(404, "noSite", "This bus is no site: nobody connects its '/'.")
        }
        let raising = Raising(
            name: .inspection, payload: Query(request: 1, .sites).encoded(),
            contentType: "application/octet-stream", attributes: [Attribute("site", "/")])
        let options = RaiseOptions(
            .upward(.request), from: .outsider(.root),
            deadlineMilliseconds: Self.deadlineMilliseconds)
        let settled = try await link.raise(raising, options).pending.value
        guard settled.ended.code == .handled, let reply = settled.reply else {
            let words = settled.ended.failure?.message ?? settled.ended.code.name
            throw Refusal(503, "noSite", "The bus's own site does not answer: \(words)")
        }
        guard try Header(parsing: reply.payload).command != .refused else {
            throw Refusal(403, "denied", try Refused(parsing: reply.payload).sentence)
        }
        return try ReceivedDocument<SitesDocument>(parsing: reply.payload).content
    }
}

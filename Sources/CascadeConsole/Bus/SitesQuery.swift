// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeSession
import CascadeWire

/// A question for the sites around a bus, which the bridge at its root answers. The bus itself knows none.
struct SitesQuery: Sendable {
    let link: Link

    /// Returns what the bus's own site knows: itself, the site above it, and those below it, with the
    /// states of their links. Throws ``Refusal`` if the bus is no site, or its bridge does not answer.
    func document() async throws -> SitesDocument {
        let root = try await link.query(.tree(path: .root, depth: 0))
        // A question without a bridge would count as unhandled.
        guard try TreeAnswer(parsing: root).nodes.first?.connectsSites ?? false else {
            throw Refusal(404, "noSite", "This bus is no site: nobody connects its '/'.")
        }
        let settled = try await link.ask(.sites, ofSiteAt: .root, from: .root)
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

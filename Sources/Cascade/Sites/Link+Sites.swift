// SPDX-License-Identifier: Apache-2.0

import CascadeSession
package import CascadeWire

/// Why a site has not answered a question, as a sentence.
package struct SiteFault: Error, CustomStringConvertible {
    package enum Kind: Sendable {
        /// Policy does not let the asker look at other sites.
        case denied
        /// The root of the bus that was asked has no node that connects other sites.
        case noSite
        /// The site takes no questions.
        case closed
        /// The site has not answered in time, or has been lost meanwhile.
        case silent
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    package static let noSite = SiteFault(
        .noSite, "this bus is not a site: no cascade-site is attached at '/'; start one")
}

/// Answers of other sites to queries.
extension Link {
    /// The time for which a site may take to answer.
    private static let answerLimit = TimeSpan(milliseconds: siteAnswerMilliseconds)

    /// Returns the answer of the site at `place`, in the names of this bus. Throws ``SiteFault`` if it has
    /// not answered, and ``CascadeError`` if it refuses.
    ///
    /// - Parameters:
    ///   - subject: What is asked.
    ///   - place: The place of the site, in the names of this bus.
    ///   - origin: The node at which the way to the site begins: `/` for this bus's own site and
    ///     those above, and a mount for those below.
    package func answer(
        to subject: Query.Subject, ofSiteAt place: NodePath, from origin: NodePath
    ) async throws -> [UInt8] {
        let settled: SettledEvent
        do {
            settled = try await ask(subject, ofSiteAt: place, from: origin)
        } catch let error as CascadeError where error.reason == .denied {
            throw SiteFault(
                .denied, "cannot look at other sites from '\(origin)': \(error.message)")
        }
        guard settled.ended.code == .handled, let reply = settled.reply else {
            throw Self.error(settled, place)
        }
        return try Self.answer(reply.payload)
    }

    /// Whether a site's bridge holds the bus's root. Without one, a question would end as unhandled.
    package func isSite() async throws -> Bool {
        let answer = try await query(.tree(path: .root, depth: 0))
        return try TreeAnswer(parsing: answer).nodes.first?.connectsSites ?? false
    }

    /// Returns the error of a question that has no answer.
    private static func error(_ settled: SettledEvent, _ place: NodePath) -> any Error {
        let name = place.isRoot ? "this bus's own site" : "the site at '\(place)'"
        switch settled.ended.code {
        case .unhandled:
            return place.isRoot || place.isForeign
                ? SiteFault.noSite : SiteFault(.closed, "\(name) takes no questions")
        case .timedOut:
            return SiteFault(.silent, "\(name) did not answer within \(answerLimit)")
        default:
            let failure = settled.ended.failure
            let words =
                failure?.message ?? failure.map { "\($0.name)" } ?? settled.ended.code.name
            let code = failure.flatMap { ErrorCode(named: $0.name) }
            if code == .timedOut || code == .nodeLost {
                return SiteFault(.silent, "\(name) did not answer: \(words)")
            }
            // Suggestions read the names in quotes.
            return CascadeError(
                .refused, place.isRoot ? words : "\(words) (at the site \(place))", reason: code)
        }
    }
}

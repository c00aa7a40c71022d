// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import CascadeWire

/// Answers to queries that come more than once, or from another site.
extension Link {
    /// The time for which a site may take to answer, in milliseconds.
    package static let siteAnswerMilliseconds: UInt32 = 5_000

    /// Returns the answers to a query, now and after each change. Throws ``CascadeError`` if the bus refuses
    /// the query.
    package func answers(
        _ subject: Query.Subject
    ) throws -> AsyncThrowingMapSequence<AsyncStream<[UInt8]>, [UInt8]> {
        try watch(subject).map { try Self.answer($0) }
    }

    /// Returns the message of an answer unchanged. Throws ``CascadeError`` if it is a refusal.
    package static func answer(_ message: [UInt8]) throws -> [UInt8] {
        if try Header(parsing: message).command == .refused {
            throw CascadeError(try Refused(parsing: message))
        }
        return message
    }

    /// Asks the site at `place` a query, which the sites in between pass on, and returns how the question
    /// ended. Throws ``CascadeError`` if the bus refuses the question.
    ///
    /// - Parameters:
    ///   - subject: What is asked.
    ///   - place: The place of the site, in the names of this bus.
    ///   - origin: The node at which the way to the site begins.
    package func ask(
        _ subject: Query.Subject, ofSiteAt place: NodePath, from origin: NodePath
    ) async throws -> SettledEvent {
        let raising = Raising(
            name: .inspection, payload: Query(request: 1, subject).encoded(),
            contentType: "application/octet-stream",
            attributes: [Attribute("site", place.description)])
        let options = RaiseOptions(
            .upward(.request), from: .outsider(origin),
            deadlineMilliseconds: Self.siteAnswerMilliseconds)
        return try await raise(raising, options).pending.value
    }
}

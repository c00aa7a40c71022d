// SPDX-License-Identifier: Apache-2.0

/// One row of the conformance table: a conversation of the protocol, and the role of a client that
/// takes part in it.
struct ConformanceItem: Sendable {
    let role: ConformanceRole
    /// The requirement, as a sentence about the client.
    let requirement: String
    /// The section of the protocol's document that states it.
    let section: String
    /// Plays the daemon's side. Throws ``Deviation`` where the client does something else.
    let play: @Sendable (PlayedDaemon) throws -> Void

    init(
        _ role: ConformanceRole, _ requirement: String, _ section: String,
        _ play: @escaping @Sendable (PlayedDaemon) throws -> Void
    ) {
        self.role = role
        self.requirement = requirement
        self.section = section
        self.play = play
    }

    /// All rows, in the order of the table.
    static let all =
        respondingItems + requestItems + faultItems + originItems + creditItems + publishingItems
        + subscriberItems + resumingItems + redeliveryItems
}

/// The part that a client plays in a conversation.
enum ConformanceRole: String, Sendable, CaseIterable {
    case responder, origin, subscriber, resuming
}

/// A difference between what the protocol requires and what a client does.
struct Deviation: Error, Sendable {
    let expected: String
    let received: String

    init(expected: String, received: String) {
        self.expected = expected
        self.received = received
    }
}

/// The result of one row.
struct ConformanceResult: Sendable {
    let item: ConformanceItem
    /// The deviation; `nil` if the client passed.
    let deviation: Deviation?
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire

typealias PublicationIndex = Slab<Publication>.Index

/// One publication's way down, from its publisher to the end of each recipient's handler.
struct Publication: Sendable {
    var message = Message()
    var destination = PublishingDestination.last
    /// What all its recipients get; `nil` until the first of them does, or once it has to change.
    var header: Header?
    /// The number of its ``KeptMessage`` if it is retained; ``Slab/Index/none`` if not.
    var keptMessage = KeptMessageIndex.none
    /// Whether it is given to one subscriber that came later.
    var isGiven = false
    var deadlineHandle = DeadlineQueue.none
    var startedAt = Instant(nanoseconds: 0)

    /// Those that were lost before they accepted it, but may have begun.
    var lostAt: [NodeIndex] = []
    /// What is charged for its recipients, and to whom.
    var account = AccountTable.own
    var chargedByteCount = 0
    /// How many recipients have not ended yet.
    var pendingCount = 0
    /// Who has it, in the order in which they were called; a failed one is taken out.
    var recipients: [NodeIndex] = []
    /// The places of those that failed, in the order in which they did.
    var failedPaths: [NodePath] = []
    /// How the first one that failed did so.
    var failure: Failure?
    /// Whether that one did not answer in time.
    var hasTimedOut = false

    /// What counts for each recipient while the publication is under way: its delivery, its places
    /// in lists and its path in the outcome.
    static let recipientByteCount = 256

    /// Where it was for several, those of them that failed; of one alone, its failure says so.
    var failedRecipients: [NodePath] {
        recipients.count + failedPaths.count > 1 ? failedPaths : []
    }
}

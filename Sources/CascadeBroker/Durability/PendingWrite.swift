// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What waits for the journal.
struct PendingWrite: Sendable {
    enum Subject: Sendable {
        /// A durable event of a session, to be accepted. It goes by its place among the events
        /// under way.
        case event(EventIndex, session: SessionID)
        /// The outcome of a durable event, to be told.
        case outcome(EventKey)
    }

    var subject: Subject
    /// The entry that has to be written first.
    var number: UInt64
}

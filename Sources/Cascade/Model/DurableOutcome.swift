// SPDX-License-Identifier: Apache-2.0

/// How a durable event ended that an earlier session of the node had triggered.
public struct DurableOutcome: Sendable, Hashable {
    /// The event's ID, as its trigger had returned it.
    public let id: EventID
    /// Its name when it ended.
    public let name: EventName
    public let outcome: Outcome
}

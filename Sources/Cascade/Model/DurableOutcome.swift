// SPDX-License-Identifier: Apache-2.0

/// The outcome of a durable event that an earlier session of the node triggered.
public struct DurableOutcome: Sendable, Hashable {
    /// The event's ID, as the trigger returned it.
    public let id: EventID
    /// The event's name when it ended.
    public let name: EventName
    public let outcome: Outcome
}

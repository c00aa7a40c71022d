// SPDX-License-Identifier: Apache-2.0

/// What the daemon knows of all that a session has raised, on whichever connection.
struct SessionMemory: Sendable {
    /// The highest number of anything that was raised.
    private(set) var lastSequence: UInt64 = 0
    var kept = KeptOutcomes()

    // For the connection that the session has now.

    /// Whether something has been raised on it for the first time. From then on nothing may be sent
    /// again, and numbers have no gaps.
    private(set) var hasRaised = false
    /// How many outcomes had been kept before it.
    private(set) var keptBefore: UInt64 = 0
    /// What was under way before it, or has been sent again on it. Each has its one outcome coming.
    private(set) var underWay: Set<UInt64> = []

    /// Whether there is anything that the session could ask for again.
    var isWorthKeeping: Bool {
        !kept.isEmpty
    }

    /// Something of this number has been raised.
    mutating func note(_ sequence: UInt64) {
        lastSequence = max(lastSequence, sequence)
    }

    /// The outcome of this number comes on this connection.
    mutating func noteUnderWay(_ sequence: UInt64) {
        underWay.insert(sequence)
    }

    /// The session goes on on another connection.
    mutating func resume() {
        hasRaised = false
        keptBefore = kept.end
        underWay = []
    }

    /// Something new comes: whatever the session lacked from before, it has sent again. Returns the
    /// payloads that are no longer kept.
    mutating func beginRaising() -> [Payload] {
        hasRaised = true
        underWay = []
        return kept.forget(before: keptBefore)
    }

    /// The session has got so many outcomes on this connection. Returns the payloads that are no
    /// longer kept.
    mutating func noteReceived(_ count: UInt64) -> [Payload] {
        // What was kept before is still asked for.
        guard hasRaised else {
            return []
        }
        return kept.forget(before: keptBefore + min(count, kept.end - keptBefore))
    }
}

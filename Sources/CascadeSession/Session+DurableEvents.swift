// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// Durable events: once the bus has accepted one it is the bus's, and the session only remembers
/// that it waits for the outcome.
extension Session {
    /// The event is on the bus's disk. It needs neither the credit nor the bytes any more.
    mutating func accepted(_ sequence: UInt64, into effects: inout [SessionEffect]) {
        guard inFlight.remove(sequence) else {
            return
        }
        acceptedSequences.insert(sequence)
        effects.append(.accepted(sequence: sequence))
        // What is accepted before it has been sent again has taken no credit here.
        if hasResumed {
            credit += 1
            effects.append(.creditReturned)
        }
    }

    /// The outcome of a durable event has come: of this session's, which is the end of it, or of an
    /// earlier one's at a place that this one has now.
    mutating func settled(_ settled: Settled, into effects: inout [SessionEffect]) {
        guard settled.id == nil else {
            effects.append(.settledBefore(settled))
            return
        }
        let sequence = settled.ended.sequence
        accepted(sequence, into: &effects)
        if acceptedSequences.remove(sequence) != nil {
            effects.append(.settled(settled))
        }
        effects.append(.sendMessage(Received(sequence: sequence).encoded()))
    }

    /// Whoever is concerned has the outcome of a durable event of an earlier session.
    package mutating func confirm(_ id: EventID, into effects: inout [SessionEffect]) {
        if state == .welcomed {
            effects.append(.sendMessage(Received(id: id).encoded()))
        }
    }

    /// Nobody waits for the outcome of a durable event of this session: it need not be kept.
    package mutating func renounceOutcome(
        of sequence: UInt64, into effects: inout [SessionEffect]
    ) {
        if acceptedSequences.remove(sequence) != nil, state == .welcomed {
            effects.append(.sendMessage(Received(sequence: sequence).encoded()))
        }
    }

    /// Asks what has become of what was accepted on an earlier connection.
    mutating func recallAccepted(into effects: inout [SessionEffect]) {
        for sequence in acceptedSequences.sorted() {
            effects.append(.send(Header(.recall, sequence: sequence)))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// Durable events. Once the bus has accepted one, the session only waits for its outcome.
extension Session {
    /// Releases the credit and the bytes of a durable event, which is now on the bus's disk.
    mutating func accepted(_ sequence: UInt64, into effects: inout [SessionEffect]) {
        guard inFlight.remove(sequence) else {
            return
        }
        acceptedSequences.insert(sequence)
        effects.append(.accepted(sequence: sequence))
        returnCredit(of: sequence, into: &effects)
    }

    /// Processes the outcome of a durable event, either of this session or of an earlier one at a
    /// place that this session holds now.
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

    /// Confirms that the node has received the outcome of a durable event of an earlier session.
    package mutating func confirm(_ id: EventID, into effects: inout [SessionEffect]) {
        if state == .welcomed {
            effects.append(.sendMessage(Received(id: id).encoded()))
        }
    }

    /// Tells the bus that the outcome of a durable event of this session need not be kept.
    package mutating func renounceOutcome(
        of sequence: UInt64, into effects: inout [SessionEffect]
    ) {
        if acceptedSequences.remove(sequence) != nil, state == .welcomed {
            effects.append(.sendMessage(Received(sequence: sequence).encoded()))
        }
    }

    /// Asks for the outcomes of events that were accepted on an earlier connection.
    mutating func recallAccepted(into effects: inout [SessionEffect]) {
        for sequence in acceptedSequences.sorted() {
            effects.append(.send(Header(.recall, sequence: sequence)))
        }
    }
}

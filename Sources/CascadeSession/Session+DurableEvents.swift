// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// Durable events. After the bus has accepted one, the session only waits for its outcome.
extension Session {
    /// Releases the credit and the bytes of a durable event that the bus has written to disk.
    mutating func applyAccepted(_ sequence: UInt64, into effects: inout [SessionEffect]) {
        guard inFlight.remove(sequence) else {
            return
        }
        acceptedSequences.insert(sequence)
        effects.append(.accepted(sequence: sequence))
        returnCredit(of: sequence, into: &effects)
    }

    /// Processes the outcome of a durable event. An earlier session at a place that this session holds
    /// may have triggered it.
    mutating func apply(_ settled: Settled, into effects: inout [SessionEffect]) {
        guard settled.id == nil else {
            effects.append(.settledBefore(settled))
            return
        }
        let sequence = settled.ended.sequence
        applyAccepted(sequence, into: &effects)
        if acceptedSequences.remove(sequence) != nil {
            effects.append(.settled(settled))
        }
        effects.append(.sendMessage(Received(sequence: sequence).encoded()))
    }

    /// Confirms that the outcome of a durable event of an earlier session has been received.
    package mutating func confirm(_ id: EventID, into effects: inout [SessionEffect]) {
        if state == .welcomed {
            effects.append(.sendMessage(Received(id: id).encoded()))
        }
    }

    /// Confirms in advance the outcome of a durable event of this session. The bus then does not store
    /// it.
    package mutating func renounceOutcome(
        of sequence: UInt64, into effects: inout [SessionEffect]
    ) {
        if acceptedSequences.remove(sequence) != nil, state == .welcomed {
            effects.append(.sendMessage(Received(sequence: sequence).encoded()))
        }
    }

    /// Requests the outcomes of events that were accepted on an earlier connection.
    mutating func recallAccepted(into effects: inout [SessionEffect]) {
        for sequence in acceptedSequences.sorted() {
            effects.append(.send(Header(.recall, sequence: sequence)))
        }
    }
}

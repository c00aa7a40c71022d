// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import CascadeWire

/// Durable events: accepted when they are on the bus's disk, with an outcome that the bus repeats
/// until it is confirmed.
extension Link {
    /// Raises a durable event, and returns when it is on the bus's disk. Throws ``CascadeError`` if
    /// the bus refuses the event, which then has no effect.
    package func raiseDurable(
        _ raising: Raising, _ options: RaiseOptions
    ) async throws -> RaisedEvent {
        var options = options
        options.flags.insert(.durable)
        let sequence = try await begin(raising, options)
        try await Waiter.value { waiter in
            acceptances[sequence] = waiter
            perform()
        }
        return RaisedEvent(
            id: EventID(session: session.id, sequence: sequence),
            pending: PendingOutcome(sequence: sequence, link: self))
    }

    /// Confirms that the node has received the outcome of a durable event of an earlier session.
    package func confirm(_ id: EventID) {
        session.confirm(id, into: &effects)
        perform()
    }

    /// Tells the bus that the outcome of a durable event is not needed.
    package func renounceOutcome(of id: EventID) {
        session.renounceOutcome(of: id.sequence, into: &effects)
        perform()
    }
}

// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import CascadeWire

/// Durable events: accepted when they are on the bus's disk, and told of until that is confirmed.
extension Link {
    /// Raises a durable event, and returns when it is on the bus's disk. Throws ``CascadeError`` if
    /// the bus does not accept it; then it never happened.
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

    /// The outcome of a durable event of an earlier session has arrived where it belongs.
    package func confirm(_ id: EventID) {
        session.confirm(id, into: &effects)
        perform()
    }

    /// Nobody will ask for the outcome of a durable event.
    package func renounceOutcome(of id: EventID) {
        session.renounceOutcome(of: id.sequence, into: &effects)
        perform()
    }
}

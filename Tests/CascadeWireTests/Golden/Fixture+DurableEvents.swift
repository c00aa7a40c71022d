// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The oven triggers a durable event, exits, and receives the outcome in its next session.
extension Fixture {
    private static let coalOrdered = EventName("CoalOrdered")
    private static let oven = NodePath("/kitchen/oven")
    private static let former = EventID(session: SessionID(high: 7, low: 11), sequence: 4)

    static let durableEvents: [Fixture] = [
        Fixture(
            "trigger of a durable event",
            Header(
                .trigger, flags: [.durable, .addressedInFields], node: 3, name: 6, sequence: 6),
            RaisedFields(holdMilliseconds: 3_600_000), payload: #"{"kilos":20}"#),
        Fixture("accepted", Header(.accepted, sequence: 6)),
        Fixture(
            "settled",
            Settled(
                ended: OutcomeMessage(
                    sequence: 6, code: .handled, responder: 1, microseconds: 2500),
                name: coalOrdered, origin: oven, handler: kitchen)),
        Fixture(
            "settled after the origin has gone",
            Settled(
                ended: OutcomeMessage(
                    sequence: 4, code: .failed, microseconds: 900,
                    failure: Failure(.responderFailed, message: "no coal", node: kitchen)),
                id: former, name: coalOrdered, origin: oven)),
        Fixture("received", Received(sequence: 6)),
        Fixture("received after the origin has gone", Received(id: former)),
        Fixture("recall", Header(.recall, sequence: 6)),
    ]
}

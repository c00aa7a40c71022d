// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The oven tells the kitchen that an order is ready.
extension Fixture {
    private static let order = #"{"table":4}"#
    private static let urgent = RaisedFields(attributes: [Attribute("priority", "high")])

    static let events: [Fixture] = raised + visits + verdicts + outcomes

    private static let raised: [Fixture] = [
        Fixture(
            "trigger", Header(.trigger, node: 3, name: 1, sequence: 1, time: 5000), urgent,
            payload: order),
        Fixture(
            "trigger from outside",
            Header(.trigger, flags: [.wantsTrail, .addressedInFields], sequence: 1),
            RaisedFields(name: orderReady, origin: kitchen, contentType: "text/plain"),
            payload: "table 4"),
        Fixture(
            "trigger with a cause",
            Header(
                .trigger, flags: .addressedInFields, node: 2, name: 1, sequence: 3,
                code: LaneCode(.event, causes: 1).rawValue),
            RaisedFields(cause: firstOrder, holdMilliseconds: 60_000), payload: order),
        Fixture(
            "trigger within a trace",
            Header(.trigger, flags: .addressedInFields, node: 2, name: 1, sequence: 4),
            RaisedFields(
                traceParent: TraceParent(
                    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")),
            payload: order),
        Fixture(
            "trigger that is sent again",
            Header(
                .trigger, flags: .sentAgain, node: 3, name: 1, id: 3, sequence: 2, time: 5000),
            payload: order),
        Fixture(
            "trigger for another bus",
            Header(.trigger, flags: .addressedInFields, node: 2, name: 1, sequence: 5),
            RaisedFields(
                origin: NodePath("/shop/ulm/till"),
                raisedAs: RaisedAs(firstOrder, isRepeated: true)), payload: order),
        Fixture(
            "trigger that tries again",
            Header(.trigger, flags: .addressedInFields, sequence: 6),
            RaisedFields(name: orderReady, retried: firstOrder)),
    ]

    private static let visits: [Fixture] = [
        Fixture(
            "visit",
            Header(
                .visit, node: 2, name: 1, id: 0x1_0000_0009, sequence: 1, origin: 3, session: 1,
                time: 4998),
            urgent, payload: order),
        Fixture(
            "itinerary",
            Itinerary([.init(node: 2, responder: 1), .init(node: 4, responder: 0)])),
        Fixture(
            "visit with an itinerary",
            Header(
                .visit, index: 1, node: 2, name: 1, id: 0x1_0000_000A, sequence: 2, origin: 3,
                session: 1, time: 30_000),
            payload: order),
        Fixture("accept", Header(.accept, node: 2, id: 0x1_0000_0009)),
    ]

    private static let floor = NodePath("/hq:/floor")

    private static let verdicts: [Fixture] = [
        Fixture(
            "verdict of another bus",
            Verdict(
                delivery: 0x1_0000_0009, node: 0, code: .handled, stop: 1, microseconds: 850,
                remote: RemoteEnd(handler: floor))),
        Fixture(
            "verdict of an end on another bus",
            Verdict(
                delivery: 0x1_0000_0009, node: 0, code: .failed, microseconds: 75,
                failure: Failure(name: outOfPlates, node: floor),
                remote: RemoteEnd(outcome: .looped))),
        Fixture(
            "verdict about a publication on another bus",
            Verdict(
                delivery: 0x2_0000_000F, node: 4, code: .handled, microseconds: 75,
                failure: Failure(name: outOfPlates),
                remote: RemoteEnd(
                    recipients: [NodePath("/shop/ulm/till")],
                    failedRecipients: [NodePath("/shop/ulm/bar")]))),
        Fixture(
            "verdict",
            Verdict(
                delivery: 0x1_0000_0009, node: 2, code: .handled, nextAccepted: true,
                microseconds: 850)),
        Fixture(
            "verdict that replaces",
            Verdict(
                delivery: 0x1_0000_000A, node: 2, code: .replaced, stop: 1, microseconds: 120,
                newName: EventName("OrderServed")),
            payload: order),
        Fixture(
            "verdict that fails",
            Verdict(
                delivery: 0x1_0000_0009, node: 2, code: .failed, microseconds: 75,
                failure: Failure(name: outOfPlates, message: "no plate is clean"))),
    ]

    private static let outcomes: [Fixture] = [
        Fixture(
            "outcome of another bus",
            OutcomeMessage(
                sequence: 1, code: .handled, node: 0, responder: 1, microseconds: 1900,
                handler: floor)),
        Fixture(
            "outcome", OutcomeMessage(sequence: 1, code: .handled, node: 2, microseconds: 1900)),
        Fixture(
            "outcome with the times of visits",
            OutcomeMessage(
                sequence: 1, code: .handled, microseconds: 1900,
                trail: [
                    VisitRecord(
                        path: NodePath("/kitchen/grill"), responder: 0, kind: .handle,
                        name: orderReady, verdict: .passed, microseconds: 40, at: 12, waited: 8),
                    VisitRecord(
                        path: kitchen, responder: 1, kind: .handle, name: orderReady,
                        verdict: .handled, microseconds: 1750, at: 60),
                ])),
        Fixture(
            "outcome of a failure",
            OutcomeMessage(
                sequence: 1, code: .failed, microseconds: 1900,
                failure: Failure(name: outOfPlates, message: "no plate is clean", node: kitchen),
                trail: [
                    VisitRecord(
                        path: kitchen, responder: 0, kind: .handle, name: orderReady,
                        verdict: .failed, microseconds: 1750)
                ])),
    ]
}

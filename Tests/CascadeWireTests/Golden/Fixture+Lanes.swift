// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The kitchen reports an error, the oven reports another, and a node sends a request.
extension Fixture {
    private static let ovenTooHot = EventName("OvenTooHot")
    private static let oven = NodePath("/kitchen/oven")
    private static let minutes = #"{"minutes":12}"#

    static let lanes: [Fixture] = errors + requests + cascades

    private static let errors: [Fixture] = [
        Fixture(
            "report",
            Header(.trigger, node: 3, name: 3, sequence: 4, code: LaneCode(.error).rawValue),
            RaisedFields(message: "230 degrees", title: "Oven too hot"),
            payload: #"{"degrees":230}"#),
        Fixture(
            "visit about an error",
            Header(
                .visit, index: 2, node: 2, name: 5, id: 0x1_0000_000C, sequence: 1, origin: 3,
                session: 1, time: 4990, code: LaneCode(.error).rawValue),
            RaisedFields(),
            Failure(
                name: outOfPlates, message: "no plate is clean", node: kitchen,
                causes: [
                    Failure(
                        name: EventName("DishwasherFailed"), title: "Dishwasher",
                        node: NodePath("/kitchen/sink"))
                ]),
            payload: #"{"clean":0}"#),
        Fixture(
            "outcome of a report",
            OutcomeMessage(
                sequence: 4, code: .failed, microseconds: 700,
                failure: Failure(
                    name: ovenTooHot, message: "230 degrees", title: "Oven too hot", node: oven),
                trail: [
                    VisitRecord(
                        path: kitchen, responder: 2, kind: .receiveError, name: ovenTooHot,
                        verdict: .passed, microseconds: 300, message: "230 degrees",
                        title: "Oven too hot")
                ])),
        Fixture(
            "outcome of a caught error",
            OutcomeMessage(
                sequence: 1, code: .caught, node: 2, responder: 2, microseconds: 2400,
                failure: Failure(name: outOfPlates, message: "no plate is clean", node: kitchen))),
    ]

    private static let requests: [Fixture] = [
        Fixture(
            "request",
            Header(
                .trigger, node: 3, name: 4, sequence: 5, time: 2000,
                code: LaneCode(.request).rawValue),
            payload: #"{"table":4}"#),
        Fixture(
            "verdict that answers",
            Header(
                .verdict, node: 2, id: 0x1_0000_000D, time: 310,
                code: VerdictCode.answered.rawValue),
            payload: minutes),
        Fixture(
            "outcome with a reply",
            Header(
                .outcome, flags: .carriesReply, node: 2, sequence: 5, time: 900,
                code: OutcomeCode.handled.rawValue),
            payload: minutes),
        Fixture("cancel", Header(.cancel, sequence: 5)),
        Fixture("cancel of a visit", Header(.cancel, node: 2, id: 0x1_0000_000D)),
    ]

    private static let cascades: [Fixture] = [
        Fixture(
            "outcome of a cascade",
            OutcomeMessage(
                sequence: 7, code: .cascaded, microseconds: 500, recipients: [oven, kitchen]))
    ]
}

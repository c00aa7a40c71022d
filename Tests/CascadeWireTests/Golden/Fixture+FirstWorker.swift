// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The least that a worker sends to handle one event, as the protocol's first section shows it.
extension Fixture {
    static let firstWorker: [Fixture] = [
        Fixture(
            "first hello",
            Hello(session: secret.sessionID, program: "first", processID: 4711, secret: secret)),
        Fixture(
            "first attach",
            Attach(
                request: 1,
                nodes: [
                    NodeDeclaration(
                        path: kitchen, responders: [ResponderDeclaration(.handle, orderReady)])
                ])),
        Fixture(
            "first visit",
            Header(
                .visit, node: 2, name: 1, id: 0x1_0000_0001, sequence: 1, origin: 3, session: 1,
                time: 30_000),
            payload: #"{"table":4}"#),
        Fixture("first accept", Header(.accept, node: 2, id: 0x1_0000_0001)),
        Fixture(
            "first verdict",
            Verdict(delivery: 0x1_0000_0001, node: 2, code: .handled, microseconds: 850)),
        Fixture("first leave", Leave(request: 2)),
    ]
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Queries about traces, routes and the current state.
extension Fixture {
    static let queries: [Fixture] = [
        Fixture("query for a trace", Query(request: 6, .trace(firstOrder))),
        Fixture(
            "query for a route",
            Query(
                request: 7,
                .route(
                    RouteQuery(
                        .error, outOfPlates, from: kitchen,
                        attributes: [Attribute("priority", "high")], payload: #"{"clean":0}"#)))),
        Fixture(
            "query for what happens",
            Query(
                request: 8,
                .monitor(
                    MonitorFilter(
                        name: "Order*", path: "/kitchen*", kinds: [.event, .error],
                        sinceMilliseconds: 60_000, withPayloads: true)),
                isRepeating: true)),
        Fixture(
            "query for the changes of the tree",
            Query(request: 25, .treeChanges(path: .root, depth: .max), isRepeating: true)),
        Fixture(
            "query for the activity of nodes",
            Query(request: 26, .activity(path: kitchen, milliseconds: 1_000), isRepeating: true)),
        Fixture("query for what is under way", Query(request: 27, .underWay)),
        Fixture(
            "query for an undelivered event", Query(request: 29, .undeliveredEvent(firstOrder))),
        Fixture(
            "query for some of what happens, with trails",
            Query(
                request: 28, .monitor(MonitorFilter(perSecond: 200, withTrails: true)),
                isRepeating: true)),
        Fixture(
            "answer with a document",
            DocumentAnswer(
                request: 6, document: #"{"schema":"cascade/v1/check","findings":[]}"#)),
    ]

    /// Administrative commands.
    static let administration: [Fixture] = [
        Fixture(
            "administer",
            Administer(request: 9, .move(path: kitchen, under: NodePath("/cellar")))),
        Fixture(
            "administer a subtree",
            Administer(request: 10, .drain(path: kitchen, withSubtree: true))),
        Fixture(
            "administer what is retained",
            Administer(request: 11, .clearRetained(name: menuChanged, path: kitchen))),
    ]
}

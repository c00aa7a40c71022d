// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Inspection of the tree, the bus and subscribers.
extension Fixture {
    static let inspection: [Fixture] = [
        Fixture(
            "query",
            Query(
                request: 4, .subscribers(name: menuChanged, path: .root), isRepeating: true)),
        Fixture(
            "answer about the tree",
            TreeAnswer(
                request: 4,
                nodes: [
                    NodeSnapshot(
                        path: kitchen, state: .live, isActive: true, ageMicroseconds: 90_000_000,
                        childCount: 1,
                        holder: NodeSnapshot.Holder(
                            session: sessionID, processID: 4711, userID: 1000, groupID: 1000,
                            unit: "kitchen.service", program: "kitchen 1.0"),
                        responders: [ResponderDeclaration(.handle, orderReady)],
                        subscriptions: [menuChanged], counters: [NamedNumber("visits", 17)])
                ])),
        Fixture(
            "answer about the bus",
            BusAnswer(
                request: 4, bus: "restaurant", release: "1.0.0", processID: 812,
                ageMicroseconds: 90_000_000, counters: [NamedNumber("triggers", 17)],
                limits: [NamedNumber("depth", 1024)])),
        Fixture("answer about subscribers", subscribers),
        Fixture("activate", Activate(request: 4, path: kitchen, isActive: true)),
    ]

    private static let subscribers = {
        var answer = SubscribersAnswer(request: 4)
        answer.last = [kitchen]
        answer.all = [kitchen]
        return answer
    }()
}

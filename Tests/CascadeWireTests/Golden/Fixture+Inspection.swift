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
        Fixture("answer about the changes of the tree", changes),
        Fixture("answer about the activity of nodes", activity),
        Fixture("answer about subscribers", subscribers),
        Fixture("activate", Activate(request: 4, path: kitchen, isActive: true)),
    ]

    /// The first second of 2026.
    private static let newYear = Timestamp(microseconds: 1_767_225_600_000_000)

    private static let changes = {
        var node = NodeSnapshot(
            path: kitchen, state: .live, isActive: true, ageMicroseconds: 90_000_000,
            childCount: 0, subscriptions: [menuChanged])
        node.since = newYear
        node.number = 2
        var answer = TreeAnswer(request: 25, nodes: [node])
        answer.version = 7
        answer.hasOnlyChanges = true
        answer.gone = [5]
        return answer
    }()

    private static let activity = {
        var counters = NodeCounters()
        counters.queue = 1
        counters.visits = 17
        counters.errors = 3
        counters.latencyMicroseconds = 1_000_000
        counters.measured = 16
        var answer = ActivityAnswer(
            request: 26, when: newYear, rows: [.init(number: 2, counters: counters)])
        answer.otherCount = 4
        answer.others.visits = 5
        answer.others.latencyMicroseconds = 2_000
        answer.others.measured = 5
        return answer
    }()

    private static let subscribers = {
        var answer = SubscribersAnswer(request: 4)
        answer.last = [kitchen]
        answer.all = [kitchen]
        return answer
    }()
}

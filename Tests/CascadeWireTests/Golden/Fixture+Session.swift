// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A session begins, and its node attaches, changes and leaves.
extension Fixture {
    static let sessionID = SessionID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
    static let kitchen = NodePath("/kitchen")
    static let orderReady = EventName("OrderReady")
    static let menuChanged = EventName("MenuChanged")
    static let outOfPlates = EventName("OutOfPlates")
    /// The oven's first event.
    static let firstOrder = EventID(session: sessionID, sequence: 1)

    static let session: [Fixture] = [
        Fixture(
            "hello",
            Hello(session: sessionID, program: "kitchen 1.0", processID: 4711, isResumed: true)),
        Fixture(
            "hello with a secret",
            Hello(
                session: secret.sessionID, program: "kitchen 1.0", processID: 4711,
                secret: secret)),
        Fixture(
            "hello for a key",
            Hello(
                session: secret.sessionID, program: "till 1.0", processID: 4711, secret: secret,
                policyKey: "ulm")),
        Fixture(
            "welcome",
            Welcome(
                version: 1, bus: "restaurant", release: "1.0.0", processID: 812, credit: 2048,
                beatMilliseconds: 1000, limits: [NamedNumber("depth", 1024)])),
        Fixture(
            "attach",
            Attach(
                request: 1,
                nodes: [
                    NodeDeclaration(
                        path: kitchen,
                        responders: [
                            ResponderDeclaration(.handle, orderReady),
                            ResponderDeclaration(.observe, nil),
                        ],
                        subscriptions: [menuChanged])
                ],
                names: [EventName("OvenHot")])),
        Fixture("attach of a presented node", Attach(request: 5, nodes: [menu])),
        Fixture("attach of a mount", Attach(request: 1, nodes: [mount])),
        Fixture("attach of a mount with a stand-in", Attach(request: 1, nodes: [standingIn])),
        Fixture(
            "define",
            Define([
                .name(number: 1, orderReady),
                .node(number: 3, NodePath("/kitchen/oven")),
                .session(number: 1, SessionIdentity(sessionID, isProven: false)),
            ])),
        Fixture(
            "define of an activation",
            Define([.node(number: 2, kitchen, Activation(rank: 1_001, isActive: false))])),
        Fixture("attached", Attached(request: 1, nodes: [.init(path: kitchen, number: 2)])),
        Fixture(
            "attached with an activation",
            Attached(
                request: 1,
                nodes: [
                    .init(
                        path: kitchen, number: 2,
                        activation: Activation(rank: 1_000, isActive: true))
                ])),
        Fixture("attach after a reconnect", Attach(request: .max, nodes: [reattached])),
        Fixture(
            "change",
            Change(
                request: 2, node: 2,
                declaration: NodeDeclaration(
                    path: kitchen, responders: [ResponderDeclaration(.receive, orderReady)],
                    isActive: false, concurrency: 4, prefetch: 64))),
        Fixture(
            "change that abandons",
            Change(
                request: 3, node: 2, declaration: NodeDeclaration(path: kitchen), abandons: true)),
        Fixture("leave", Leave(request: 3)),
        Fixture(
            "detached",
            Detached(node: 2, path: kitchen, reason: .left, sentence: "the node has left")),
        Fixture("done", Header(.done, id: 3)),
        Fixture("moved", Moved(node: 2, path: NodePath("/cellar/kitchen"))),
        Fixture(
            "refused",
            Refused(
                request: 1, code: .pathTaken,
                sentence: "the path '/kitchen' is held by process 4711")),
        Fixture(
            "violation",
            Violation(.greetingRequired, "a 'trigger' came before the greeting, 'hello'")),
        Fixture("beat", Header(.beat, id: 5)),
        Fixture("credit", Header(.credit, node: 2, code: 64)),
    ]
    static let secret = {
        var halves = Halves(rest: [0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF])
        return SessionSecret(using: &halves)
    }()

    private struct Halves: RandomNumberGenerator {
        var rest: [UInt64]

        mutating func next() -> UInt64 {
            rest.removeFirst()
        }
    }

    private static let mount = {
        var node = NodeDeclaration(
            path: NodePath("/shop/ulm"),
            responders: [ResponderDeclaration(.respond, EventName("cascade.Inspect"))])
        node.isMount = true
        return node
    }()

    private static let standingIn = {
        var node = NodeDeclaration(path: NodePath("/shop/ulm"))
        node.isMount = true
        node.standIns = [StandIn(menuChanged, levels: 2, turn: 1_001)]
        return node
    }()

    private static let reattached = {
        var node = NodeDeclaration(path: kitchen, subscriptions: [menuChanged])
        node.activation = Activation(rank: 1_001, isActive: false)
        return node
    }()
    /// A presented node of the kitchen with every kind of declaration.
    private static let menu = {
        var node = NodeDeclaration(
            path: NodePath("/kitchen/menu"),
            responders: [
                ResponderDeclaration(.receive, orderReady, when: "table > 3"),
                ResponderDeclaration(.catch, outOfPlates),
                ResponderDeclaration(.handleError, nil),
            ])
        node.isPresented = true
        node.detachesOrphans = true
        node.triggers = [EventName("OrderServed"), EventName("MenuClosed")]
        node.reports = []
        node.safety = .strict
        node.requiresExplicitResponders = false
        return node
    }()
}

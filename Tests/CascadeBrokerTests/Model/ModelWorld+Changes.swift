// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

/// Random changes of the tree, in the broker and in the model alike.
extension ModelWorld {
    private static let nodesMax = 14

    /// Makes a tree of some nodes, in any order: children may come before their parents.
    mutating func populate() throws {
        for _ in 0..<(2 + generator.below(Self.nodesMax - 2)) {
            try attachSomewhere()
        }
    }

    mutating func changeSomething() throws {
        switch generator.below(8) {
        case 0, 1, 2:
            try attachSomewhere()
        case 3, 4:
            try ifHeld { world, place, session in
                try world.change(place, world.randomNode(), by: session)
            }
        case 5:
            ifHeld { world, place, _ in
                world.activate(place, world.generator.isLucky(60))
            }
        case 6:
            ifHeld { world, place, session in world.leave(place, by: session) }
        default:
            if generator.isLucky(30) {
                lose(generator.below(sessions.count))
                connect()
            }
        }
    }

    private mutating func ifHeld(
        _ change: (inout ModelWorld, Place, Int) throws -> Void
    ) rethrows {
        if let (place, session) = heldPlace() {
            try change(&self, place, session)
        }
    }

    /// One of the nodes, and who holds it.
    mutating func heldPlace() -> (place: Place, session: Int)? {
        let all = sessions.indices.flatMap { session in
            sessions[session].places.map { (place: $0, session: session) }
        }
        return all.isEmpty ? nil : generator.pick(all)
    }

    private mutating func attachSomewhere() throws {
        let place = (0...generator.below(4)).map { _ in generator.below(2) }
        guard model.nodes[place] == nil, model.nodes.count < Self.nodesMax else {
            return
        }
        try attach(place, randomNode(), by: generator.below(sessions.count))
    }

    mutating func randomNode() -> ReferenceModel.Node {
        var node = ReferenceModel.Node()
        for _ in 0..<generator.below(4) {
            let name = generator.below(RandomBehaviour.declaredNames + 1)
            node.responders.append(
                ReferenceModel.Responder(
                    kind: generator.pick(ResponderKind.allCases),
                    name: name == RandomBehaviour.declaredNames ? nil : name))
        }
        for name in 0..<RandomBehaviour.declaredNames where generator.isLucky(40) {
            node.subscriptions.insert(name)
        }
        node.isActive = generator.isLucky(85)
        return node
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

/// Random changes of the tree, in the broker and in the model alike.
extension ModelWorld {
    private static let nodesMax = 20

    /// Makes a tree of some nodes in any order: children may attach before their parents.
    mutating func populate() {
        for _ in 0..<(4 + generator.below(Self.nodesMax)) {
            attachSomewhere()
        }
    }

    mutating func changeSomething() {
        switch generator.below(9) {
        case 0...3:
            attachSomewhere()
        case 4, 5:
            ifHeld { world, place, session in
                world.change(place, world.randomNode(), by: session)
            }
        case 6:
            ifHeld { world, place, _ in
                world.activate(place, world.generator.isLucky(60))
            }
        case 7:
            ifHeld { world, place, session in world.leave(place, by: session) }
        default:
            if generator.isLucky(20) {
                lose(generator.below(sessions.count))
                connect()
            }
        }
    }

    private mutating func ifHeld(_ change: (inout ModelWorld, Place, Int) -> Void) {
        if let (place, session) = heldPlace() {
            change(&self, place, session)
        }
    }

    /// A random node and its session.
    mutating func heldPlace() -> (place: Place, session: Int)? {
        var number = sessions.reduce(0) { $0 + $1.places.count }
        guard number > 0 else {
            return nil
        }
        number = generator.below(number)
        for session in sessions.indices {
            let count = sessions[session].places.count
            if number < count {
                return (sessions[session].places[number], session)
            }
            number -= count
        }
        return nil
    }

    private mutating func attachSomewhere() {
        let place = (0..<generator.pick([1, 2, 3, 4, 4, 4])).reduce(1) { place, _ in
            2 * place + generator.below(2)
        }
        guard model.nodes[place] == nil, model.nodes.count < Self.nodesMax else {
            return
        }
        attach(place, randomNode(), by: generator.below(sessions.count))
    }

    private mutating func randomNode() -> Model.Node {
        var node = Model.Node()
        for _ in 0..<generator.below(11) {
            node.responders.append(
                Model.Responder(
                    kind: generator.pick(ResponderKind.allCases), name: randomName(),
                    condition: generator.isLucky(20) ? generator.pick(Condition.allCases) : nil))
        }
        for name in 0..<Model.Name.declaredCount where generator.isLucky(40) {
            node.subscriptions.insert(Model.Name(number: name))
        }
        node.isActive = generator.isLucky(85)
        return node
    }

    private mutating func randomName() -> Model.Name? {
        switch generator.below(100) {
        case 0..<40: nil
        case 40..<44: .nodeLost
        case 44..<48: .timedOut
        default: Model.Name(number: generator.below(Model.Name.declaredCount))
        }
    }
}

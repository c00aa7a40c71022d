// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSimulator
import CascadeTestSupport
import CascadeWire

/// Random names, paths and nodes, and what peers do with their nodes.
extension ChaosBus {
    mutating func name() throws -> EventName {
        try EventName("N\(generator.below(Self.names))")
    }

    mutating func path() throws -> NodePath {
        let depth = 1 + generator.below(5) + (generator.isLucky(3) ? 1 : 0)
        return try NodePath((0..<depth).map { _ in generator.isLucky(75) ? "/p" : "/q" }.joined())
    }

    mutating func declaration() throws -> NodeDeclaration {
        var declaration = NodeDeclaration(path: try path())
        for _ in 0..<generator.below(5) {
            let name = generator.isLucky(20) ? nil : try name()
            declaration.responders.append(
                ResponderDeclaration(
                    generator.pick(ResponderKind.allCases), name,
                    when: generator.isLucky(20) ? generator.pick(["a == 1", "!(a == 1)"]) : nil))
        }
        for _ in 0..<generator.below(4) {
            declaration.subscriptions.append(try name())
        }
        declaration.isActive = generator.isLucky(80)
        declaration.takesOver = generator.isLucky(30)
        declaration.prefetch = generator.pick([1, 1, 2, 5])
        declaration.isPresented = generator.isLucky(20)
        declaration.detachesOrphans = generator.isLucky(20)
        declaration.isMount = generator.isLucky(10)
        if declaration.isMount || generator.isLucky(1) {
            for _ in 0..<generator.below(3) {
                declaration.standIns.append(
                    StandIn(
                        try name(), levels: generator.pick([0, 1, 2, .max]),
                        turn: UInt64(generator.below(9))))
            }
        }
        if generator.isLucky(10) {
            declaration.triggers = [try name()]
            declaration.reports = [try name()]
        }
        declaration.assignments = try assignments()
        declaration.safety = generator.isLucky(10) ? generator.pick(SafetyLevel.allCases) : nil
        return declaration
    }

    /// A declaration of the root, which has responders and values alone.
    private mutating func rootDeclaration() throws -> NodeDeclaration {
        var declaration = try declaration()
        declaration.path = .root
        declaration.subscriptions = []
        declaration.standIns = []
        declaration.isActive = true
        declaration.isPresented = false
        declaration.detachesOrphans = false
        declaration.isMount = generator.isLucky(5)
        declaration.triggers = nil
        declaration.reports = nil
        declaration.safety = nil
        declaration.assignments = Assignments(settings: declaration.assignments.settings)
        return declaration
    }

    mutating func administer(_ place: Int) throws {
        let path = try path()
        let change: Administer.Change
        switch generator.below(4) {
        case 0: change = .drain(path: path, withSubtree: generator.isLucky(30))
        case 1: change = .detach(path: path, withSubtree: generator.isLucky(30))
        default:
            let parent = generator.isLucky(20) ? .root : try self.path()
            change = .move(path: path, under: parent)
        }
        peers[place].lastRequest += 1
        say(Administer(request: peers[place].lastRequest, change), place)
    }

    mutating func attach(_ place: Int) throws {
        peers[place].lastRequest += 1
        let request = peers[place].lastRequest
        var nodes: [NodeDeclaration] = []
        for _ in 0...generator.below(3) {
            nodes.append(try declaration())
        }
        if generator.isLucky(10) {
            nodes = [try rootDeclaration()]
        }
        peers[place].declarations[request] = nodes
        say(Attach(request: request, nodes: nodes), place)
    }

    mutating func change(_ place: Int) throws {
        guard let node = ownNode(place) else {
            return
        }
        peers[place].lastRequest += 1
        let request = peers[place].lastRequest
        let isRoot = peers[place].own[node]?.path.isRoot == true
        let declaration = try isRoot && generator.isLucky(80) ? rootDeclaration() : declaration()
        peers[place].declarations[request] = [declaration]
        peers[place].changed[request] = node
        let abandons = generator.isLucky(20)
        if abandons {
            // Which visits the broker counts as accepted is not told.
            peers[place].own[node]?.isHonest = false
        }
        say(
            Change(request: request, node: node, declaration: declaration, abandons: abandons),
            place)
    }

    mutating func leave(_ place: Int) {
        peers[place].lastRequest += 1
        let node = generator.isLucky(70) ? ownNode(place) : Header.noNode
        say(Leave(request: peers[place].lastRequest, node: node ?? Header.noNode), place)
    }

    mutating func activate(_ place: Int) throws {
        peers[place].lastRequest += 1
        let message = Activate(
            request: peers[place].lastRequest, path: try path(),
            isActive: generator.isLucky(60))
        say(message, place)
    }

    mutating func ownNode(_ place: Int) -> UInt32? {
        let own = peers[place].own.keys.sorted()
        return own.isEmpty ? nil : generator.pick(own)
    }
}

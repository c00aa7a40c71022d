// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeSite
import CascadeTestSupport
import CascadeWire

/// A random tree of nodes, and the places at which it is cut into buses.
struct OracleTree {
    struct Node {
        /// The path in the whole tree.
        var path: NodePath
        var responders: [ResponderDeclaration] = []
        var subscriptions: [EventName] = []
        var assignments = Assignments()

        /// The node's declaration, at its path on a bus.
        func declaration(at path: NodePath) -> NodeDeclaration {
            var declaration = NodeDeclaration(
                path: path, responders: responders, subscriptions: subscriptions)
            declaration.assignments = assignments
            return declaration
        }
    }

    /// A bus of the cut tree. The first one has no mount and is the root site.
    struct Site {
        var name: SiteName
        /// The place in the whole tree at which the bus stands.
        var mount: NodePath
        /// The index of the site above.
        var parent: Int?
    }

    static let names: [EventName] = ["Jam", "Leak", "Smoke"]

    let seed: UInt64
    private(set) var nodes: [Node] = []
    private(set) var sites = [Site(name: "hq", mount: .root, parent: nil)]

    /// Creates a tree with responders that is cut at one or two places.
    ///
    /// - Parameter transforms: Whether responders may replace messages.
    init(seed: UInt64, transforms: Bool = true) {
        self.init(seed: seed) { generator, place, _ in
            Node(path: place, responders: Self.responders(&generator, transforms: transforms))
        }
    }

    /// Creates a tree that is cut at one or two places, with the nodes that `node` returns for places and the
    /// numbers of their sites. The nodes of a site precede those of the sites below.
    ///
    /// - Parameter placeCount: The least number of places.
    init(
        seed: UInt64, placeCount: Int = 4, node: (inout SeededGenerator, NodePath, Int) -> Node
    ) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        var places: [NodePath] = []
        while places.count < placeCount + generator.below(8) {
            let parent = generator.isLucky(75) ? places.randomElement(using: &generator) : nil
            let component = generator.pick(["a", "b", "c"])
            let text =
                (parent ?? .root).isRoot ? "/\(component)" : "\(parent ?? .root)/\(component)"
            if let place = try? NodePath(text), !places.contains(place), place.depth <= 6 {
                places.append(place)
            }
        }
        var mounts: [NodePath] = []
        for _ in 0..<(1 + generator.below(2)) {
            let candidates = places.filter { place in
                !mounts.contains(place) && places.contains { $0 != place && place.contains($0) }
            }
            if let mount = candidates.randomElement(using: &generator) {
                mounts.append(mount)
            }
        }
        for (index, mount) in mounts.sorted(by: { $0.depth < $1.depth }).enumerated() {
            let parent = sites.indices.last { $0 > 0 && sites[$0].mount.contains(mount) } ?? 0
            let name: SiteName = index == 0 ? "ulm" : "bonn"
            sites.append(Site(name: name, mount: mount, parent: parent))
        }
        let held = places.filter { !mounts.contains($0) }.map { (local($0).site, $0) }
        for site in sites.indices {
            for (_, place) in held.filter({ $0.0 == site }) {
                nodes.append(node(&generator, place, site))
            }
        }
    }

    static let predicates = ["a == 1", "!(a == 2)", #"name == "Jam""#]

    static func responders(
        _ generator: inout SeededGenerator, transforms: Bool = true
    ) -> [ResponderDeclaration] {
        let kinds = ResponderKind.allCases.filter { kind in
            transforms || ![.transform, .transformError, .catch].contains(kind)
        }
        return (0..<generator.below(4)).map { _ in
            let name = generator.isLucky(20) ? nil : generator.pick(names)
            return ResponderDeclaration(
                generator.pick(kinds), name,
                when: generator.isLucky(20) ? generator.pick(predicates) : nil)
        }
    }

    // MARK: - Paths

    /// Creates a tree of two buses.
    init(_ nodes: [Node], mount: NodePath) {
        self.init(nodes, [Site(name: "ulm", mount: mount, parent: 0)])
    }

    /// Creates a tree of the root site's bus, hq, and others.
    init(_ nodes: [Node], _ others: [Site]) {
        seed = 0
        self.nodes = nodes
        sites += others
    }

    /// The index of the site on whose bus a place is, and its path there.
    func local(_ path: NodePath) -> (site: Int, path: NodePath) {
        let site = sites.indices.last { $0 > 0 && sites[$0].mount.contains(path) } ?? 0
        return (site, local(path, on: site))
    }

    /// The path of a place on the bus of a site at or above it.
    func local(_ path: NodePath, on site: Int) -> NodePath {
        Self.path(path.components.dropFirst(sites[site].mount.depth))
    }

    /// The place in the whole tree that a site names so.
    func global(_ path: NodePath, on site: Int) -> NodePath {
        guard path.isForeign else {
            return Self.path(sites[site].mount.components + path.components)
        }
        let named = sites.first { "\($0.name):" == path.components[0] }
        return Self.path((named?.mount.components ?? []) + path.components.dropFirst())
    }

    private static func path(_ components: some Sequence<Substring>) -> NodePath {
        let text = components.map { "/\($0)" }.joined()
        return (try? NodePath(text.isEmpty ? "/" : text)) ?? .root
    }

    // MARK: - Behaviour

    /// Random numbers that are the same in every tree of buses.
    private func dice(_ text: String, _ visit: Visit) -> SeededGenerator {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(seed) \(text)".utf8 + visit.payload {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return SeededGenerator(seed: hash)
    }

    /// Whether a node keeps a visit back until its deadline has passed.
    func keepsBack(_ node: NodePath, _ visit: Visit) -> Bool {
        var dice = dice("late \(node) \(visit.name)", visit)
        return dice.isLucky(30)
    }

    /// The result of a responder, which is the same in every tree of buses.
    func result(
        _ node: NodePath, _ responder: Int, _ kind: ResponderKind, _ visit: Visit
    ) -> InvocationResult {
        var dice = dice("\(node) \(responder) \(visit.name) \(visit.lane)", visit)
        guard !dice.isLucky(15) else {
            return .failed(
                Failure(name: dice.pick(Self.names), message: "by \(node)"),
                dice.isLucky(30) ? Reply(payload: Self.payload(&dice)) : nil)
        }
        switch kind {
        case .receive, .receiveError: return dice.isLucky(25) ? .handled : .passed
        case .handle, .handleError: return .handled
        case .transform, .transformError, .catch: return .replaced(Self.raising(&dice))
        case .observe: return .passed
        case .respond:
            return dice.isLucky(40) ? .answered(Reply(payload: Self.payload(&dice))) : .passed
        }
    }

    /// The result of a subscriber, which is the same in every tree of buses.
    func result(_ node: NodePath, _ visit: Visit) -> InvocationResult {
        var dice = dice("\(node) \(visit.name)", visit)
        return dice.isLucky(12)
            ? .failed(Failure(name: dice.pick(Self.names), message: "by \(node)")) : .handled
    }

    static func raising(_ generator: inout SeededGenerator) -> Raising {
        Raising(name: generator.pick(names), payload: payload(&generator))
    }

    private static func payload(_ generator: inout SeededGenerator) -> [UInt8] {
        Array(#"{"a":\#(generator.below(4))}"#.utf8)
    }
}

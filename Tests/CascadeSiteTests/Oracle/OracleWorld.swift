// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJSON
import CascadeSession
import CascadeSite
import CascadeTestSupport
import CascadeWire

/// The buses of a tree, with a worker for each node and a bridge for each site. Messages arrive in the order
/// in which they were sent, and the time stands still unless a test lets it pass.
final class OracleWorld {
    enum Destination {
        case bus(Int, PeerID)
        case worker(Int)
        case bridgeHome(Int)
        case bridgeAbove(Int)
    }

    let tree: OracleTree
    private let isCut: Bool
    private let bug: PlantedBridgeBug?
    /// The longest frame that a link carries, in bytes.
    private let linkMaximum: Int
    var now = Duration.seconds(1)
    private(set) var buses: [OracleBus] = []
    private(set) var workers: [OracleWorker] = []
    var bridges: [OracleBridge] = []
    var destinations: [[PeerID: Destination]] = []
    var queue: [(destination: Destination, message: [UInt8])] = []
    /// The sites whose parent cannot be reached.
    var unreachable: Set<Int> = []
    /// The visits of workers since the last message was raised.
    var visits: [OracleVisit] = []
    /// The publications that workers have had since the last message was raised.
    var deliveries: [OracleDelivery] = []
    /// Which visits workers do not end until ``finishKeptBack(_:)``.
    var keepsBack: (NodePath, Visit) -> Bool = { _, _ in false }
    /// Which messages wait until ``releaseHeld()``.
    var holds: (Destination, Header) -> Bool = { _, _ in false }
    private var held: [(destination: Destination, message: [UInt8])] = []
    /// What should not have happened.
    var faults: [String] = []

    /// The index of the site below whose bus the root site is configured to stand, and its mount there.
    private let loop: (parent: Int, mount: NodePath)?

    /// Creates the buses of a tree: one for each site, or one for the whole tree.
    ///
    /// - Parameter loop: The wrong place of the root site; `nil` if it has no parent.
    init(
        _ tree: OracleTree, isCut: Bool, bug: PlantedBridgeBug? = nil, linkMaximum: Int = .max,
        loop: (parent: Int, mount: NodePath)? = nil,
        configure: (inout BridgeConfiguration) -> Void = { _ in }
    ) {
        self.tree = tree
        self.isCut = isCut
        self.bug = bug
        self.linkMaximum = linkMaximum
        self.loop = loop
        for site in isCut ? tree.sites : [tree.sites[0]] {
            buses.append(OracleBus(site.name.description, at: now, keepsDurable: true))
            destinations.append([:])
        }
        for node in tree.nodes {
            attach(node)
        }
        run()
        if isCut {
            for site in tree.sites.indices {
                bridges.append(OracleBridge(tree, site, below: parent(of: site), configure))
                connectHome(site)
                run()
            }
        }
        for (index, bridge) in bridges.enumerated()
        where index > 0 && loop == nil && bridge.state != .up {
            faults.append("the bridge of \(tree.sites[index].name) is \(bridge.state)")
        }
    }

    // MARK: - Workers

    private func attach(_ node: OracleTree.Node) {
        let place = isCut ? tree.local(node.path) : (site: 0, path: node.path)
        let worker = OracleWorker(node, at: place.path, on: place.site, number: workers.count)
        workers.append(worker)
        let peer = buses[place.site].connect()
        destinations[place.site][peer] = .worker(workers.count - 1)
        worker.peer = peer
        send(worker.start(), of: workers.count - 1)
    }

    func send(_ messages: [[UInt8]], of worker: Int) {
        let destination = Destination.bus(workers[worker].site, workers[worker].peer)
        queue += messages.map { (destination, $0) }
    }

    // MARK: - Bridges

    func connectHome(_ site: Int) {
        let peer = buses[site].connect()
        destinations[site][peer] = .bridgeHome(site)
        bridges[site].homePeer = peer
        perform(bridges[site].start(at: now), of: site)
    }

    func perform(_ effects: [BridgeEffect], of site: Int) {
        for effect in effects {
            switch effect {
            case .sendHome(let message):
                let sent = bug?.change(message, isUpward: false) ?? message
                queue.append((.bus(site, bridges[site].homePeer), sent))
            case .sendAbove(let message):
                guard let parent = parent(of: site), let peer = bridges[site].abovePeer else {
                    faults.append("a frame without a link")
                    continue
                }
                queue.append((.bus(parent, peer), bug?.change(message, isUpward: true) ?? message))
            case .dial: dial(site)
            case .connectHome: faults.append("\(effect)")
            case .closeLink: closeLink(site)
            case .report(.changed): break
            case .report(let report): faults.append("\(report)")
            }
        }
    }

    func parent(of site: Int) -> Int? {
        tree.sites[site].parent ?? loop?.parent
    }

    private func dial(_ site: Int) {
        guard let parent = parent(of: site) else {
            return
        }
        guard !unreachable.contains(site) else {
            perform(bridges[site].lostLink(at: now), of: site)
            return
        }
        let peer = buses[parent].connect()
        destinations[parent][peer] = .bridgeAbove(site)
        bridges[site].abovePeer = peer
        let mount =
            tree.sites[site].parent == nil
            ? loop?.mount : tree.local(tree.sites[site].mount, on: parent)
        let terms = LinkTerms(mount: mount ?? .root, maximum: linkMaximum)
        perform(bridges[site].opened(terms, at: now), of: site)
    }

    /// The gate of a site tells its bridge of the sites below.
    func childrenChanged(_ site: Int, _ reports: [ChildReport]) {
        perform(bridges[site].childrenChanged(reports, at: now), of: site)
        run()
    }

    func closeLink(_ site: Int) {
        guard let parent = parent(of: site), let peer = bridges[site].abovePeer else {
            return
        }
        bridges[site].abovePeer = nil
        destinations[parent][peer] = nil
        queue.removeAll { next in
            switch next.destination {
            case .bridgeAbove(let other): other == site
            case .bus(let bus, let other): bus == parent && other == peer
            default: false
            }
        }
        buses[parent].lose(peer)
    }

    // MARK: - Messages and time

    /// Lets all buses and bridges tell each other what has changed.
    func settle() {
        pass(.milliseconds(400))
    }

    /// Lets time pass, in steps in which the bridges act.
    func pass(_ duration: Duration) {
        let end = now + duration
        while now < end {
            now = min(end, now + .milliseconds(100))
            for bus in buses {
                bus.pass(until: now)
            }
            collect()
            run()
        }
    }

    /// Delivers messages until none is left, or the next one is for a destination.
    func run(until isReached: (Destination, [UInt8]) -> Bool = { _, _ in false }) {
        var count = 0
        repeat {
            while let next = queue.first {
                count += 1
                guard count < 20_000 else {
                    faults.append("messages without end")
                    queue = []
                    return
                }
                guard !isReached(next.destination, next.message) else {
                    return
                }
                queue.removeFirst()
                guard !isHeld(next.destination, next.message) else {
                    held.append(next)
                    continue
                }
                deliver(next.message, to: next.destination)
                collect()
            }
            for site in bridges.indices {
                perform(bridges[site].timePassed(at: now), of: site)
            }
            collect()
        } while !queue.isEmpty
    }

    private func isHeld(_ destination: Destination, _ message: [UInt8]) -> Bool {
        (try? Header(parsing: message)).map { holds(destination, $0) } ?? false
    }

    /// Delivers the messages that were held, and holds none any longer.
    func releaseHeld() {
        holds = { _, _ in false }
        queue = held + queue
        held = []
        run()
    }

    private func deliver(_ message: [UInt8], to destination: Destination) {
        switch destination {
        case .bus(let bus, let peer): buses[bus].receive(message, from: peer)
        case .worker(let index):
            let worker = workers[index]
            send(worker.receive(message) { result(worker, $0, $1) }, of: index)
            faults += worker.takeFaults()
        case .bridgeHome(let site):
            perform(bridges[site].receivedHome(message, at: now), of: site)
        case .bridgeAbove(let site):
            let effects =
                message.count <= linkMaximum
                ? bridges[site].receivedAbove(message, at: now)
                : bridges[site].receivedPart(
                    Array(message.prefix(linkMaximum - 4)), of: message.count, at: now)
            perform(effects, of: site)
        }
    }

    /// How a worker ends a visit; `nil` if it keeps it back.
    func result(
        _ worker: OracleWorker, _ responder: Int?, _ visit: Visit
    ) -> InvocationResult? {
        guard let responder else {
            deliveries.append(OracleDelivery(worker, visit, tree))
            return tree.result(worker.node.path, visit)
        }
        visits.append(OracleVisit(worker, responder, visit, tree))
        return keepsBack(worker.node.path, visit)
            ? nil
            : tree.result(
                worker.node.path, responder, worker.declaration.responders[responder].kind, visit)
    }

    private func collect() {
        for bus in buses.indices {
            for (peer, message) in buses[bus].takeMessages() {
                if let destination = destinations[bus][peer] {
                    queue.append((destination, message))
                }
            }
        }
    }
}

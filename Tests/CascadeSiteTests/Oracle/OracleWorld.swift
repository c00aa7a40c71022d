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
    private(set) var now = Duration.seconds(1)
    private(set) var buses: [OracleBus] = []
    private(set) var workers: [OracleWorker] = []
    private(set) var bridges: [OracleBridge] = []
    private var destinations: [[PeerID: Destination]] = []
    private var queue: [(destination: Destination, message: [UInt8])] = []
    /// The sites whose parent cannot be reached.
    private var unreachable: Set<Int> = []
    /// The visits of workers since the last message was raised.
    private(set) var visits: [OracleVisit] = []
    /// The publications that workers have had since the last message was raised.
    private(set) var deliveries: [OracleDelivery] = []
    /// Which visits workers do not end until ``finishKeptBack(_:)``.
    var keepsBack: (NodePath, Visit) -> Bool = { _, _ in false }
    /// Which messages wait until ``releaseHeld()``.
    var holds: (Destination, Header) -> Bool = { _, _ in false }
    private var held: [(destination: Destination, message: [UInt8])] = []
    /// What should not have happened.
    private(set) var faults: [String] = []

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

    // MARK: - Raising

    /// Raises a message at a node, and returns how it ended.
    func raise(
        _ raising: Raising, _ lane: Lane, at index: Int, _ flags: HeaderFlags
    ) -> OracleResult {
        visits = []
        let worker = workers[index]
        send(worker.raise(raising, lane, flags), of: index)
        run()
        let end = worker.takeEnd()
        return OracleResult(end, worker.site, visits, tree)
    }

    /// Raises a message as a worker's session may, and returns how it ended.
    func raise(_ raising: Raising, _ options: RaiseOptions, at index: Int) -> SettledEvent? {
        visits = []
        send(workers[index].raise(raising, options), of: index)
        run()
        return workers[index].takeEnd()
    }

    /// Publishes at a node, and returns how it ended.
    func publish(
        _ raising: Raising, to destination: PublishingDestination, at index: Int,
        _ flags: HeaderFlags = []
    ) -> OraclePublication {
        deliveries = []
        let worker = workers[index]
        let options = RaiseOptions(.down(destination), from: .node(worker.path), flags: flags)
        let end = raise(raising, options, at: index)
        return OraclePublication(end, worker.site, takeDeliveries(), tree)
    }

    /// Returns the publications that workers have had, in an order that does not depend on that of the calls.
    func takeDeliveries() -> [OracleDelivery] {
        defer { deliveries = [] }
        return deliveries.sorted { "\($0)" < "\($1)" }
    }

    /// Raises a message at a node, without an eye to its end.
    func begin(_ raising: Raising, _ options: RaiseOptions, at index: Int) {
        visits = []
        send(workers[index].raise(raising, options), of: index)
        run()
    }

    /// No longer waits for the reply to a node's last request.
    func cancel(at index: Int) {
        send(workers[index].cancel(), of: index)
        run()
    }

    /// Returns how messages have ended since the last call: in the order of their nodes, then of their numbers.
    func takeEnds() -> [OracleResult] {
        workers.flatMap { worker in
            worker.takeEnds().map { OracleResult($0.end, worker.site, [], tree) }
        }
    }

    /// Ends the visits that workers have kept back.
    func finishKeptBack(_ end: InvocationResult) {
        for (index, worker) in workers.enumerated() {
            send(worker.finishKeptBack(end) { result(worker, $0, $1) }, of: index)
        }
        run()
    }

    // MARK: - Workers

    /// Sends a worker's request about the bus, and returns its number.
    @discardableResult
    func ask<Message: WireMessage>(
        _ message: (UInt64) -> Message, of index: Int
    ) -> UInt64 {
        let (request, messages) = workers[index].ask(message)
        send(messages, of: index)
        run()
        return request
    }

    /// Changes what a node declares.
    func change(_ index: Int, _ update: (inout NodeDeclaration) -> Void) {
        send(workers[index].change(update), of: index)
        run()
    }

    /// Changes what a node declares, and publishes at another one before any bus can tell of the change.
    func change(
        _ index: Int, _ update: (inout NodeDeclaration) -> Void, thenPublish raising: Raising,
        to destination: PublishingDestination, at publisher: Int
    ) -> OraclePublication {
        send(workers[index].change(update), of: index)
        return publish(raising, to: destination, at: publisher)
    }

    /// Lets all buses and bridges tell each other what has changed.
    func settle() {
        pass(.milliseconds(400))
    }

    private func attach(_ node: OracleTree.Node) {
        let place = isCut ? tree.local(node.path) : (site: 0, path: node.path)
        let worker = OracleWorker(node, at: place.path, on: place.site, number: workers.count)
        workers.append(worker)
        let peer = buses[place.site].connect()
        destinations[place.site][peer] = .worker(workers.count - 1)
        worker.peer = peer
        send(worker.start(), of: workers.count - 1)
    }

    private func send(_ messages: [[UInt8]], of worker: Int) {
        let destination = Destination.bus(workers[worker].site, workers[worker].peer)
        queue += messages.map { (destination, $0) }
    }

    // MARK: - Bridges

    private func connectHome(_ site: Int) {
        let peer = buses[site].connect()
        destinations[site][peer] = .bridgeHome(site)
        bridges[site].homePeer = peer
        perform(bridges[site].start(at: now), of: site)
    }

    private func perform(_ effects: [BridgeEffect], of site: Int) {
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

    private func parent(of site: Int) -> Int? {
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

    // MARK: - Faults

    /// Cuts the link of a site to its parent, with all that is on it.
    func cutLink(_ site: Int) {
        unreachable.insert(site)
        closeLink(site)
        perform(bridges[site].lostLink(at: now), of: site)
        run()
    }

    /// Kills the bridge of a site, and starts another one.
    func restartBridge(_ site: Int) {
        closeLink(site)
        let peer = bridges[site].homePeer
        destinations[site][peer] = nil
        queue.removeAll { next in
            switch next.destination {
            case .bridgeHome(let other): other == site
            case .bus(let bus, let other): bus == site && other == peer
            default: false
            }
        }
        buses[site].lose(peer)
        bridges[site] = OracleBridge(tree, site, below: parent(of: site), number: 1) { _ in }
        connectHome(site)
        run()
    }

    /// Kills the daemon of a site, and starts another one on its journal after 100 ms. `body` runs meanwhile.
    func restartBus(_ site: Int, _ body: () -> Void = {}) {
        let lost = destinations[site]
        destinations[site] = [:]
        queue.removeAll { next in
            if case .bus(site, _) = next.destination { true } else { false }
        }
        for worker in workers where worker.site == site {
            worker.disconnected()
        }
        let effects = bridges[site].lostHome(at: now).filter { effect in
            if case .connectHome = effect { false } else { true }
        }
        perform(effects, of: site)
        for case .bridgeAbove(let child) in lost.values {
            bridges[child].abovePeer = nil
            perform(bridges[child].lostLink(at: now), of: child)
        }
        body()
        now += .milliseconds(100)
        buses[site].restart(at: now)
        for index in workers.indices where workers[index].site == site {
            let peer = buses[site].connect()
            destinations[site][peer] = .worker(index)
            workers[index].peer = peer
            send(workers[index].resume(), of: index)
        }
        connectHome(site)
        run()
    }

    /// The site leaves both buses, which does not end before `releaseHeld` if an answer is held.
    func leave(_ site: Int) {
        perform(bridges[site].leave(at: now), of: site)
        run()
    }

    func mendLink(_ site: Int) {
        unreachable.remove(site)
    }

    private func closeLink(_ site: Int) {
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

    // MARK: - Messages

    /// Raises a message at a node, and delivers messages until the next one is for a destination.
    func begin(
        _ raising: Raising, _ lane: Lane, at index: Int,
        until isReached: (Destination, Header) -> Bool
    ) {
        visits = []
        send(workers[index].raise(raising, lane, []), of: index)
        run { destination, message in
            (try? Header(parsing: message)).map { isReached(destination, $0) } ?? false
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
    private func result(
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

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeSite
import CascadeTestSupport
import CascadeWire

/// Two sites on simulated time, from worker to worker: broker, bridge, link, gate and broker, over a
/// transport that loses, repeats, delays and reorders messages. Processes are killed at any of their effects.
///
/// The clocks of the sites differ by a day.
final class RealmSimulation {
    /// What goes wrong.
    struct Faults {
        var lossPercent = 0
        var repeatPercent = 0
        /// The time that a message of the transport takes, in milliseconds. A range reorders messages.
        var delay = 1...1
        /// The percentage of messages that take up to 8 s, and arrive in a link that follows.
        var latePercent = 0
        /// The processes `cascade-site` that are killed, in this order.
        var kills: [Kill] = []
    }

    /// The end of a process in place of one of its effects.
    struct Kill {
        var site: Int
        /// The number of the effect, from the last end or the beginning of the count.
        var effect: Int
    }

    enum Destination {
        case bus(Int, PeerID)
        case worker(Int)
        case bridge(Int)
        case gate(Int, LinkKey)
    }

    struct Flight {
        var time: Int
        var isUp: Bool
        var address: LinkAddress
        var bytes: [UInt8]
    }

    /// A site, whose process is away from time to time.
    struct Site {
        var name: SiteName
        var bus: OracleBus
        var program: SiteProgram?
        var destinations: [PeerID: Destination] = [:]
        /// When the process begins again; `nil` while it runs.
        var startsAt: Int?
        /// When the daemon begins again; `nil` while it runs.
        var busStartsAt: Int?
        /// By how much its clock is ahead, in milliseconds.
        var clockOffset: Int
    }

    static let mount: NodePath = "/shop/ulm"
    static let child: SiteName = "ulm"

    var generator: SeededGenerator
    var faults = Faults()
    var sites: [Site]
    var workers: [RealmWorker] = []
    var queue: [(destination: Destination, message: [UInt8])] = []
    var flights: [Flight] = []
    /// All messages of the transport so far.
    var published: [Flight] = []
    var now = 0
    var lastLink: UInt64 = 0
    var programCount: UInt64 = 0
    /// The effects of each site's process since the count began.
    var effectCounts = [0, 0]
    /// How often a process has been killed.
    var killCount = 0
    var findings: [String] = []
    /// How long the worker at hq works on a visit, in milliseconds.
    var workDuration = 0...0
    var worksAt: [Int] = []

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        let day = 86_400_000
        let places: [(SiteName, Int)] = [("hq", day), ("ulm", 2 * day)]
        sites = places.map { name, offset in
            Site(
                name: name,
                bus: OracleBus(
                    name.description, at: .milliseconds(offset), keepsDurable: true,
                    epochNanoseconds: name == Self.child ? 1_800_000_000_000_000_000 : 0),
                startsAt: 0, clockOffset: offset)
        }
        attach(
            NodeDeclaration(
                path: "/shop",
                responders: [
                    ResponderDeclaration(.handle, "Job"), ResponderDeclaration(.respond, "Ask"),
                ], concurrency: 4, prefetch: 8), on: 0)
        attach(NodeDeclaration(path: "/till", subscriptions: ["Menu"]), on: 1)
        advance(by: 3_000)
        guard isUp else {
            findings.append("no link is up after 3 s")
            return
        }
    }

    var isUp: Bool {
        sites[1].program?.state == .up
    }

    func localTime(_ site: Int) -> Duration {
        .milliseconds(now + sites[site].clockOffset)
    }

    // MARK: - Workers

    private func attach(_ declaration: NodeDeclaration, on site: Int) {
        let worker = RealmWorker(declaration, on: site, number: UInt64(workers.count))
        workers.append(worker)
        connect(workers.count - 1) { $0.start() }
    }

    func connect(_ index: Int, _ start: (RealmWorker) -> [[UInt8]]) {
        let worker = workers[index]
        let peer = sites[worker.site].bus.connect()
        sites[worker.site].destinations[peer] = .worker(index)
        worker.peer = peer
        send(start(worker), of: index)
    }

    func send(_ messages: [[UInt8]], of index: Int) {
        guard let peer = workers[index].peer else {
            return
        }
        queue += messages.map { (.bus(workers[index].site, peer), $0) }
    }

    /// Lets the till raise a message.
    func raise(_ name: EventName, _ lane: Lane = .event, _ flags: HeaderFlags = []) {
        let options = RaiseOptions(.upward(lane), from: .node("/till"), flags: flags)
        send(
            workers[1].raise(Raising(name: name, payload: Array("1".utf8)), options), of: 1)
    }

    /// Lets the shop publish the menu.
    func publish() {
        let options = RaiseOptions(.down(.all), from: .node("/shop"))
        send(workers[0].raise(Raising(name: "Menu", payload: Array("1".utf8)), options), of: 0)
    }

    // MARK: - Time

    /// Moves the time, and performs all that is due.
    func advance(by milliseconds: Int) {
        let end = now + milliseconds
        deliverAll()
        while let next = nextTime(), next <= end {
            now = max(now, next)
            act()
            deliverAll()
        }
        now = end
    }

    private func nextTime() -> Int? {
        var next = worksAt.min() ?? .max
        for flight in flights {
            next = min(next, flight.time)
        }
        for site in sites {
            let times = [site.startsAt, site.busStartsAt, site.program?.connectsHomeAt]
            for time in times.compactMap(\.self) {
                next = min(next, time)
            }
            let ofBus = site.busStartsAt == nil ? site.bus.deadline : nil
            for deadline in [ofBus, site.program?.deadline].compactMap(\.self) {
                next = min(next, deadline.millisecondsUp - site.clockOffset)
            }
        }
        return next == .max ? nil : next
    }

    private func act() {
        for site in sites.indices where sites[site].busStartsAt == nil {
            sites[site].bus.pass(until: localTime(site))
            collect(site)
        }
        while let index = flights.firstIndex(where: { $0.time <= now }) {
            arrive(flights.remove(at: index))
            deliverAll()
        }
        while let index = worksAt.firstIndex(where: { $0 <= now }) {
            worksAt.remove(at: index)
            send(workers[0].handleNext(), of: 0)
            scheduleWork()
        }
        for site in sites.indices {
            if let time = sites[site].busStartsAt, time <= now {
                startBus(site)
            }
            if let time = sites[site].startsAt, time <= now {
                start(site)
            }
            if let program = sites[site].program {
                passTime(of: program)
            }
        }
    }

    // MARK: - Messages

    /// Delivers all messages inside the machines.
    func deliverAll() {
        var count = 0
        while !queue.isEmpty {
            count += 1
            guard count < 20_000 else {
                findings.append("messages without end")
                queue = []
                return
            }
            let next = queue.removeFirst()
            deliver(next.message, to: next.destination)
            for site in sites.indices {
                collect(site)
            }
        }
    }

    private func deliver(_ message: [UInt8], to destination: Destination) {
        switch destination {
        case .bus(let site, let peer): sites[site].bus.receive(message, from: peer)
        case .worker(let index):
            send(workers[index].receive(message), of: index)
            while index == 1, !workers[index].invocations.isEmpty {
                send(workers[index].handleNext(), of: index)
            }
            scheduleWork()
        case .bridge(let site): receiveHome(message, site)
        case .gate(let site, let key): receiveOfBus(message, site, key)
        }
    }

    /// Lets the worker at hq end each of its visits after some time.
    private func scheduleWork() {
        while worksAt.count < workers[0].invocations.count {
            worksAt.append(now + generator.pick(workDuration))
        }
    }

    func collect(_ site: Int) {
        for (peer, message) in sites[site].bus.takeMessages() {
            if let destination = sites[site].destinations[peer] {
                queue.append((destination, message))
            }
        }
    }
}

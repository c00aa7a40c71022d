// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeTestSupport
import CascadeWire

/// A child and a gate on simulated time, which open one link after the other: links are cut, and both
/// sides restart, while messages of earlier links are still under way.
struct SiteSimulation {
    private struct Flight {
        var time: Int
        var isUp: Bool
        var address: LinkAddress
        var bytes: [UInt8]
    }

    /// The frames of one link, each way.
    private struct Epoch {
        var sentUp = 0
        var deliveredUp = 0
        var sentDown = 0
        var deliveredDown = 0
    }

    private static let child: SiteName = "ulm"

    private var generator: SeededGenerator
    /// Whether the planted bug is active: a side takes messages of an earlier link for the current one.
    private let acceptsOldLinks: Bool
    private let lossPercent: Int
    private var gate: Gate
    private var link: ChildLink?
    private var epochs: [LinkID: Epoch] = [:]
    /// The links that were open at the child.
    private var openedLinks: Set<LinkID> = []
    private var lastLink: UInt64 = 0
    private var dialsAt = 0
    private var pause = DialPause()
    private var connected: Set<LinkKey> = []
    private var flights: [Flight] = []
    private var now = 0
    private(set) var findings: [String] = []
    private(set) var openedCount = 0

    init(seed: UInt64, acceptsOldLinks: Bool = false) throws {
        generator = SeededGenerator(seed: seed)
        self.acceptsOldLinks = acceptsOldLinks
        lossPercent = generator.pick([0, 2, 10])
        gate = try Self.newGate()
    }

    private static func newGate() throws -> Gate {
        Gate(try GateConfiguration(name: "hq", bus: "hq", children: [child: "/shop/ulm"]))
    }

    // MARK: - Running

    /// Runs for a minute with faults, and then until a link works again.
    mutating func run() throws {
        while now < 60_000 {
            advance(by: 10 + generator.below(100))
            sendSome()
            try disturb()
        }
        let openedBefore = openedCount
        let limit = now + 20_000
        while now < limit, !isWorking {
            advance(by: 100)
            sendSome()
        }
        if !isWorking {
            findings.append("no link works, \(openedCount - openedBefore) were opened again")
        }
    }

    /// Whether the current link has delivered frames both ways.
    private var isWorking: Bool {
        guard let link, link.isOpen, let epoch = epochs[link.id] else {
            return false
        }
        return epoch.deliveredUp > 5 && epoch.deliveredDown > 5
    }

    private mutating func disturb() throws {
        switch generator.below(400) {
        case 0:
            // The gate's process restarts.
            gate = try Self.newGate()
            connected = []
        case 1:
            // The child's process restarts.
            link = nil
            dialsAt = now
        case 2:
            flights.removeAll { _ in generator.isLucky(70) }
        case 3:
            actAtChild { $0.close("for a test", at: $1, into: &$2) }
        case 4:
            if let key = gate.openLinks.first {
                actAtGate { $0.busDisconnected(key, "for a test", at: $1, into: &$2) }
            }
        default:
            break
        }
    }

    private mutating func advance(by milliseconds: Int) {
        let end = now + milliseconds
        while let next = nextTime(), next <= end {
            now = max(now, next)
            while let index = flights.firstIndex(where: { $0.time <= now }) {
                arrive(flights.remove(at: index))
            }
            if link == nil, dialsAt <= now {
                dial()
            }
            if let deadline = link?.deadline, deadline <= .milliseconds(now) {
                actAtChild { $0.timePassed(at: $1, into: &$2) }
            }
            if let deadline = gate.deadline, deadline <= .milliseconds(now) {
                actAtGate { $0.timePassed(at: $1, into: &$2) }
            }
        }
        now = end
    }

    private func nextTime() -> Int? {
        var next = link == nil ? dialsAt : Int.max
        for flight in flights {
            next = min(next, flight.time)
        }
        for deadline in [link?.deadline, gate.deadline] {
            next = min(next, deadline?.millisecondsUp ?? next)
        }
        return next == .max ? nil : next
    }

    private mutating func dial() {
        lastLink += 1
        let request = OpenRequest(
            link: LinkID(lastLink), instance: "i", host: "h", program: "p")
        epochs[request.link] = Epoch()
        var effects: [ChildLinkEffect] = []
        link = ChildLink(request, at: .milliseconds(now), into: &effects)
        perform(effects)
    }

    // MARK: - Frames

    private mutating func sendSome() {
        if let id = link?.id, link?.isOpen == true {
            for _ in 0..<generator.below(3) {
                let frame = Self.frame(id, isUp: true, epochs[id]?.sentUp ?? 0)
                if link?.send(frame) == .accepted {
                    epochs[id]?.sentUp += 1
                }
            }
            actAtChild { $0.flush(at: $1, into: &$2) }
        }
        for key in gate.openLinks where connected.contains(key) {
            for _ in 0..<generator.below(3) {
                let frame = Self.frame(key.link, isUp: false, epochs[key.link]?.sentDown ?? 0)
                if gate.send(frame, on: key) == .accepted {
                    epochs[key.link]?.sentDown += 1
                }
            }
            actAtGate { $0.flush(key, at: $1, into: &$2) }
        }
    }

    /// A frame that names its link, way and number; it is no greeting.
    private static func frame(_ link: LinkID, isUp: Bool, _ number: Int) -> [UInt8] {
        Array("\(isUp ? "up" : "down") \(link) \(number)".utf8)
    }

    private mutating func check(
        _ frame: some Sequence<UInt8>, on link: LinkID, isUp: Bool, number: Int?
    ) {
        guard let number, Self.frame(link, isUp: isUp, number) == Array(frame) else {
            let text = String(decoding: Array(frame), as: UTF8.self)
            findings.append("frame \(number ?? -1) of \(link) is '\(text)'")
            return
        }
    }

    // MARK: - Effects

    private mutating func actAtChild(
        _ change: (inout ChildLink, Duration, inout [ChildLinkEffect]) -> Void
    ) {
        var effects: [ChildLinkEffect] = []
        if link != nil {
            change(&link!, .milliseconds(now), &effects)
        }
        perform(effects)
    }

    private mutating func perform(_ effects: [ChildLinkEffect]) {
        guard let id = link?.id else {
            return
        }
        for effect in effects {
            switch effect {
            case .publish(let address, let bytes):
                publish(isUp: true, address, bytes)
            case .opened:
                openedCount += 1
                openedLinks.insert(id)
                pause.reset()
            case .deliver(let frame):
                check(frame, on: id, isUp: false, number: epochs[id]?.deliveredDown)
                epochs[id]?.deliveredDown += 1
            case .refusePart, .room:
                findings.append("a frame is in part, or was refused")
            case .refused, .ended:
                link = nil
                dialsAt = now + pause.next(.cut, jitter: 0).millisecondsUp
            }
        }
    }

    private mutating func actAtGate(
        _ change: (inout Gate, Duration, inout [GateEffect]) -> Void
    ) {
        var effects: [GateEffect] = []
        change(&gate, .milliseconds(now), &effects)
        for effect in effects {
            switch effect {
            case .publish(_, let address, let bytes):
                publish(isUp: false, address, bytes)
            case .connect(let key):
                if !openedLinks.contains(key.link) {
                    findings.append("the gate opens \(key.link), which the child has given up")
                }
                connected.insert(key)
                actAtGate { $0.busConnected(key, at: $1, into: &$2) }
            case .deliver(let key, let frame):
                check(Array(frame), on: key.link, isUp: true, number: epochs[key.link]?.deliveredUp)
                epochs[key.link]?.deliveredUp += 1
            case .disconnect(let key):
                connected.remove(key)
                actAtGate { $0.busDisconnected(key, "", at: $1, into: &$2) }
            case .room, .report:
                break
            }
        }
    }

    // MARK: - The transport

    private mutating func publish(isUp: Bool, _ address: LinkAddress, _ bytes: [UInt8]) {
        guard !generator.isLucky(lossPercent) else {
            return
        }
        // Some messages come much later, in a link that follows.
        let delay = generator.isLucky(3) ? generator.below(8_000) : 1 + generator.below(20)
        flights.append(Flight(time: now + delay, isUp: isUp, address: address, bytes: bytes))
        if generator.isLucky(2) {
            flights.append(
                Flight(
                    time: now + generator.below(20_000), isUp: isUp, address: address, bytes: bytes)
            )
        }
    }

    private mutating func arrive(_ flight: Flight) {
        var address = flight.address
        if acceptsOldLinks, address != .open, let current = link?.id {
            address = .link(current)
        }
        if flight.isUp {
            actAtGate {
                $0.received(flight.bytes, from: Self.child, on: address, at: $1, into: &$2)
            }
        } else {
            actAtChild { $0.received(flight.bytes, on: address, at: $1, into: &$2) }
        }
    }
}

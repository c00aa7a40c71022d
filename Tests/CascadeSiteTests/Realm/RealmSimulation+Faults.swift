// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeSite
import CascadeTestSupport
import CascadeWire

/// The ends of processes, and what must hold after them.
extension RealmSimulation {
    // MARK: - Processes

    /// Counts an effect of a process, or kills the process in place of it. Returns whether it runs on.
    func survives(_ program: SiteProgram) -> Bool {
        guard !program.isKilled else {
            return false
        }
        effectCounts[program.site] += 1
        if let kill = faults.kills.first, kill.site == program.site,
            effectCounts[program.site] == kill.effect
        {
            faults.kills.removeFirst()
            effectCounts = [0, 0]
            self.kill(program.site, for: 200)
            return false
        }
        return true
    }

    /// Kills the process of a site, which begins anew after so many milliseconds. The bus reads what the
    /// process had written.
    func kill(_ site: Int, for milliseconds: Int) {
        guard let program = sites[site].program else {
            return
        }
        killCount += 1
        program.isKilled = true
        sites[site].program = nil
        sites[site].startsAt = now + milliseconds
        for peer in [program.home].compactMap(\.self) + program.connections.values {
            lose(peer, site)
        }
    }

    /// Ends a connection to a bus, after what was written on it has been read.
    func lose(_ peer: PeerID, _ site: Int) {
        let written: [[UInt8]] = queue.compactMap { next in
            if case .bus(site, peer) = next.destination { next.message } else { nil }
        }
        queue.removeAll { next in
            if case .bus(site, peer) = next.destination { true } else { false }
        }
        for message in written {
            sites[site].bus.receive(message, from: peer)
        }
        sites[site].destinations[peer] = nil
        sites[site].bus.lose(peer)
        collect(site)
    }

    // MARK: - Daemons

    /// Kills the daemon of a site, which begins anew on its journal after so many milliseconds.
    func killBus(_ site: Int, for milliseconds: Int) {
        guard sites[site].busStartsAt == nil else {
            return
        }
        killCount += 1
        sites[site].busStartsAt = now + milliseconds
        sites[site].destinations = [:]
        queue.removeAll { next in
            switch next.destination {
            case .bus(let other, _), .bridge(let other), .gate(let other, _): other == site
            case .worker(let index): workers[index].site == site
            }
        }
        for worker in workers where worker.site == site {
            worker.disconnected()
        }
        guard let program = sites[site].program else {
            return
        }
        program.home = nil
        let time = localTime(site)
        _ = program.actOnBridge { $0.homeDisconnected(at: time, into: &$1) }
        for key in Array(program.connections.keys) {
            program.connections[key] = nil
            disconnected(key, of: program)
        }
    }

    /// Turns the power of a machine off, for so many milliseconds: its process and its daemon end at once,
    /// and its disk has what was written long enough ago. The workers of the bus come back with it.
    func losePower(_ site: Int, for milliseconds: Int) {
        kill(site, for: milliseconds)
        killBus(site, for: milliseconds)
        sites[site].bus.losePower()
    }

    func startBus(_ site: Int) {
        sites[site].busStartsAt = nil
        sites[site].bus.restart(at: localTime(site))
        for index in workers.indices where workers[index].site == site {
            connect(index) { $0.resume() }
        }
        connectHome(site)
    }

    // MARK: - Messages of earlier links

    /// Lets all messages of earlier links arrive again. Returns how many those are.
    func repeatEarlierLinks() -> Int {
        let current = sites[1].program?.link?.id
        let earlier = published.filter { flight in
            if case .link(let link) = flight.address { link != current } else { false }
        }
        flights += earlier.map { flight in
            var flight = flight
            flight.time = now
            return flight
        }
        return earlier.count
    }

    /// Lets the request of a link arrive again, after so many milliseconds.
    func repeatRequest(of link: LinkID, after milliseconds: Int) {
        for var flight in published where flight.isUp && flight.address == .open {
            if let request = try? OpenRequest(parsing: flight.bytes), request.link == link {
                flight.time = now + milliseconds
                flights.append(flight)
            }
        }
    }

    // MARK: - Checks

    /// Ends all faults, lets everything end, and checks the outcomes.
    func settle() {
        faults = Faults()
        workDuration = 0...0
        advance(by: 45_000)
        let count = workers[1].effects.count + workers[0].effects.count
        if !isUp {
            findings.append("no link is up: \(sites.map { $0.program?.state })")
        }
        check()
        raise("Job")
        advance(by: 1_000)
        let end = workers[1].ends[workers[1].raised.keys.max() ?? 0]
        if end?.ended.code != .handled || end?.by != "/hq:/shop" {
            findings.append("a job ends as \(String(describing: end?.ended.code)) after the faults")
        }
        if workers[0].effects.count + workers[1].effects.count != count + 1 {
            findings.append("a job has not one effect after the faults")
        }
    }

    private func check() {
        for worker in workers {
            findings += worker.faults
            if worker.pendingCount > 0 {
                findings.append("\(worker.pendingCount) messages of \(worker.path) have no outcome")
            }
            checkRepetitions(worker)
        }
        for (ticket, end) in workers[1].ends {
            checkEnd(ticket, end)
        }
    }

    /// No event has a second effect that does not say so.
    private func checkRepetitions(_ worker: RealmWorker) {
        var seen: Set<EventID> = []
        for effect in worker.effects
        where !seen.insert(effect.id).inserted && !effect.isRedelivered {
            findings.append("\(effect.id) comes to \(worker.path) twice, unmarked")
        }
    }

    private func checkEnd(_ ticket: UInt64, _ end: SettledEvent) {
        let id = workers[1].id(of: ticket)
        let effectCount = workers[0].effects.count { $0.id == id }
        let isDurable = workers[1].durable.contains(ticket)
        switch end.ended.code {
        case .handled:
            if effectCount == 0 {
                findings.append("\(id) is handled without a visit")
            }
        case .unhandled where !isDurable:
            if effectCount > 0 {
                findings.append("\(id) is unhandled after a visit")
            }
        case .failed where !isDurable && end.ended.failure?.name == Failure(.nodeLost).name: break
        default:
            findings.append(
                "\(id) ends as \(end.ended.code), \(String(describing: end.ended.failure))")
        }
    }
}

/// All faults at once.
extension RealmSimulation {
    /// Raises messages for 30 s, while the transport is bad, and processes and daemons end.
    func runAtRandom() {
        workDuration = 0...generator.pick([0, 50, 1_500])
        faults = Faults(
            lossPercent: generator.pick([0, 2, 10]), repeatPercent: generator.pick([0, 5]),
            delay: generator.pick([1...1, 1...40, 100...150]), latePercent: generator.pick([0, 2]))
        let end = now + 30_000
        while now < end {
            switch generator.below(100) {
            case ..<20: raise("Job", .event, .durable)
            case ..<35: raise("Job")
            case ..<45: raise("Ask", .request)
            case ..<55: publish()
            case ..<57: kill(generator.below(2), for: 100 + generator.below(2_000))
            case ..<58: killBus(generator.below(2), for: 100 + generator.below(2_000))
            case ..<59: flights.removeAll { _ in generator.isLucky(70) }
            case ..<61:
                if faults.kills.isEmpty {
                    effectCounts = [0, 0]
                    faults.kills = [
                        Kill(site: generator.below(2), effect: 1 + generator.below(60))
                    ]
                }
            default: break
            }
            advance(by: generator.below(300))
        }
    }
}

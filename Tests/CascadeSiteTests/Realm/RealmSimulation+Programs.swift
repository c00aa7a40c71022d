// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeSite
import CascadeTestSupport
import CascadeWire

/// The processes `cascade-site`, and the transport between them.
extension RealmSimulation {
    /// Starts the process of a site.
    func start(_ site: Int) {
        sites[site].startsAt = nil
        programCount += 1
        do {
            sites[site].program = try SiteProgram(
                site, sites[site].name, parent: site == 0 ? nil : sites[0].name,
                children: site == 0 ? [Self.child: Self.mount] : [:], number: programCount)
        } catch {
            findings.append("no process of a site starts: \(error)")
        }
        if sites[site].busStartsAt == nil {
            connectHome(site)
        }
    }

    func connectHome(_ site: Int) {
        guard let program = sites[site].program else {
            return
        }
        let peer = sites[site].bus.connect()
        sites[site].destinations[peer] = .bridge(site)
        program.home = peer
        perform(
            program.actOnBridge { $0.homeConnected(at: localTime(site), into: &$1) }, of: program)
    }

    func passTime(of program: SiteProgram) {
        let time = localTime(program.site)
        if let due = program.connectsHomeAt, due <= now {
            program.connectsHomeAt = nil
            if sites[program.site].busStartsAt == nil, program.home == nil {
                connectHome(program.site)
            }
        }
        perform(program.actOnBridge { $0.timePassed(at: time, into: &$1) }, of: program)
        perform(program.actOnLink { $0.timePassed(at: time, into: &$1) }, of: program)
        perform(program.actOnGate { $0.timePassed(at: time, into: &$1) }, of: program)
        flush(program)
    }

    /// Publishes what the links have accepted.
    private func flush(_ program: SiteProgram) {
        let time = localTime(program.site)
        perform(program.actOnLink { $0.flush(at: time, into: &$1) }, of: program)
        for key in program.connections.keys {
            perform(program.actOnGate { $0.flush(key, at: time, into: &$1) }, of: program)
        }
    }

    // MARK: - Inputs

    func receiveHome(_ message: [UInt8], _ site: Int) {
        guard let program = sites[site].program else {
            return
        }
        let time = localTime(site)
        perform(
            program.actOnBridge { $0.homeReceived(message, at: time, into: &$1) }, of: program)
        flush(program)
    }

    /// A message of the bus on the connection of a child's link.
    func receiveOfBus(_ message: [UInt8], _ site: Int, _ key: LinkKey) {
        if let program = sites[site].program {
            program.sendDown(message, on: key)
            flush(program)
        }
    }

    func arrive(_ flight: Flight) {
        guard let program = sites[flight.isUp ? 0 : 1].program else {
            // The server reports to the child that no gate listens.
            if flight.isUp, flight.address == .open, let child = sites[1].program,
                let link = child.link?.id
            {
                perform(
                    child.actOnLink { $0.noResponders(on: .link(link), into: &$1) }, of: child)
            }
            return
        }
        let time = localTime(program.site)
        if flight.isUp {
            perform(
                program.actOnGate {
                    $0.received(
                        flight.bytes, from: Self.child, on: flight.address, at: time, into: &$1)
                }, of: program)
        } else {
            perform(
                program.actOnLink {
                    $0.received(flight.bytes, on: flight.address, at: time, into: &$1)
                }, of: program)
        }
        flush(program)
    }

    // MARK: - Effects of the bridge

    private func perform(_ effects: [BridgeEffect], of program: SiteProgram) {
        for effect in effects {
            guard survives(program) else {
                return
            }
            switch effect {
            case .sendHome(let message):
                if let peer = program.home {
                    queue.append((.bus(program.site, peer), message))
                }
            case .connectHome:
                if let peer = program.home {
                    program.home = nil
                    lose(peer, program.site)
                }
                program.connectsHomeAt = now + 100
            case .dial: dial(program)
            case .sendAbove(let frame): program.sendAbove(frame)
            case .closeLink(let reason):
                let time = localTime(program.site)
                let effects = program.actOnLink { $0.close(reason, at: time, into: &$1) }
                for case .publish(let address, let bytes) in effects {
                    publish(isUp: true, address, bytes)
                }
                program.link = nil
                program.held = []
            case .report: break
            }
        }
    }

    private func dial(_ program: SiteProgram) {
        lastLink += 1
        let request = OpenRequest(
            link: LinkID(lastLink), instance: "ulm", host: "ulm", program: "test")
        var effects: [ChildLinkEffect] = []
        program.held = []
        program.link = ChildLink(request, at: localTime(program.site), into: &effects)
        perform(effects, of: program)
    }

    // MARK: - Effects of the link

    private func perform(_ effects: [ChildLinkEffect], of program: SiteProgram) {
        let time = localTime(program.site)
        for effect in effects {
            guard survives(program) else {
                return
            }
            switch effect {
            case .publish(let address, let bytes): publish(isUp: true, address, bytes)
            case .opened(let terms):
                let terms = LinkTerms(
                    mount: Self.mount, maximum: terms.maximum,
                    roundTrip: program.link?.roundTrip ?? .zero)
                perform(
                    program.actOnBridge { $0.linkOpened(terms, at: time, into: &$1) }, of: program)
            case .refused(let refusal):
                program.link = nil
                perform(
                    program.actOnBridge {
                        $0.linkRefused(refusal.message, at: time, into: &$1)
                    }, of: program)
            case .deliver(let frame):
                perform(
                    program.actOnBridge { $0.linkReceived(frame, at: time, into: &$1) },
                    of: program)
            case .refusePart: findings.append("a frame is in part")
            case .room:
                if program.sendHeld() {
                    perform(
                        program.actOnBridge { $0.linkHasRoom(at: time, into: &$1) }, of: program)
                }
            case .ended(let end):
                program.link = nil
                program.held = []
                var silence = Duration.zero
                if case .silent(let duration) = end {
                    silence = duration
                }
                perform(
                    program.actOnBridge {
                        $0.linkEnded(
                            end.description, afterSilence: silence, at: time, into: &$1)
                    }, of: program)
            }
        }
    }

    // MARK: - Effects of the gate

    private func perform(_ effects: [GateEffect], of program: SiteProgram) {
        let site = program.site
        let time = localTime(site)
        for effect in effects {
            guard survives(program) else {
                return
            }
            switch effect {
            case .publish(_, let address, let bytes): publish(isUp: false, address, bytes)
            case .connect(let key):
                guard sites[site].busStartsAt == nil else {
                    disconnected(key, of: program)
                    continue
                }
                let peer = sites[site].bus.connect()
                sites[site].destinations[peer] = .gate(site, key)
                program.connections[key] = peer
                perform(
                    program.actOnGate { $0.busConnected(key, at: time, into: &$1) }, of: program)
            case .deliver(let key, let frame):
                if let peer = program.connections[key] {
                    queue.append((.bus(site, peer), Array(frame)))
                }
            case .room(let key): program.sendHeldByBus(on: key)
            case .disconnect(let key):
                if let peer = program.connections.removeValue(forKey: key) {
                    lose(peer, site)
                }
                disconnected(key, of: program)
            case .report: break
            }
        }
    }

    func disconnected(_ key: LinkKey, of program: SiteProgram) {
        let time = localTime(program.site)
        program.heldByBus[key] = nil
        perform(
            program.actOnGate { $0.busDisconnected(key, "closed", at: time, into: &$1) },
            of: program)
    }

    // MARK: - The transport

    private func publish(isUp: Bool, _ address: LinkAddress, _ bytes: [UInt8]) {
        let flight = Flight(time: now, isUp: isUp, address: address, bytes: bytes)
        published.append(flight)
        for _ in 0..<(generator.isLucky(faults.repeatPercent) ? 2 : 1)
        where !generator.isLucky(faults.lossPercent) {
            var sent = flight
            sent.time +=
                generator.isLucky(faults.latePercent)
                ? generator.below(8_000) : generator.pick(faults.delay)
            flights.append(sent)
        }
    }
}

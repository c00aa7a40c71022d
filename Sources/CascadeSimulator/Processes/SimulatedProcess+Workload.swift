// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// What a process does of its own accord.
extension SimulatedProcess {
    /// Raises anything that can be raised.
    func act() {
        guard state == .running, leaving == nil else {
            return
        }
        switch simulation.random.below(100) {
        case 0..<40: raise(.upward(.event))
        case 40..<50: raise(.upward(.error))
        case 50..<62: raise(.upward(.request))
        case 62..<70: raise(.upward(.cascade))
        case 70..<95: raise(.down(simulation.random.pick(PublishingDestination.allCases)))
        default:
            if let request = requests.first {
                cancel(request)
            }
        }
    }

    private func raise(_ direction: RaiseOptions.Direction) {
        var options = RaiseOptions(direction, from: origin())
        options.deadlineMilliseconds = simulation.random.pick([0, 0, 0, 20, 400, 3_000])
        let name: EventName
        switch direction {
        case .upward(.error): name = simulation.random.pick(SimulationPlan.errorNames)
        case .upward: name = simulation.random.pick(SimulationPlan.eventNames)
        case .down:
            name = simulation.random.pick(SimulationPlan.publicationNames)
            if simulation.random.isLucky(12) {
                options.flags.insert(.retained)
            }
        }
        for flag in [HeaderFlags.includingSelf, .passOnLoss, .wantsTrail, .unacknowledged]
        where simulation.random.isLucky(12) {
            options.flags.insert(flag)
        }
        if case .upward(.request) = direction {
            options.flags.remove(.unacknowledged)
        }
        if case .upward(.event) = direction, simulation.random.isLucky(8) {
            options.holdMilliseconds = simulation.random.pick([10, 500, 5_000])
        }
        var raising = Raising(name: name, payload: simulation.payload())
        if case .upward(.error) = direction {
            raising.message = "something is wrong"
        }
        raise(raising, options)
    }

    private func origin() -> RaiseOptions.Origin {
        guard !nodes.isEmpty, simulation.random.isLucky(85) else {
            return .outsider(simulation.random.pick(simulation.paths))
        }
        return .node(simulation.random.pick(nodes))
    }

    // MARK: - Changes

    /// Something changes in the tree.
    func change() {
        guard state == .running, leaving == nil else {
            return
        }
        switch simulation.random.below(10) {
        case 0..<3:
            if let path = nodes.first, let number = session.number(of: path) {
                lastRequest += 1
                session.send(Leave(request: lastRequest, node: number), into: &effects)
            }
        case 3..<5: attachAgain()
        case 5..<7: changeResponders()
        case 7:
            if simulation.isFaulty {
                leave()
            }
        default: activate()
        }
        perform()
    }

    /// Leaves with everything, and ends when it has left.
    func leave() {
        guard state == .running, leaving == nil, session.state == .welcomed else {
            return
        }
        lastRequest += 1
        leaving = lastRequest
        simulation.note("process \(index) leaves", session: session.id)
        session.send(Leave(request: lastRequest), into: &effects)
        perform()
    }

    private func activate() {
        lastRequest += 1
        session.send(
            Activate(
                request: lastRequest, path: simulation.random.pick(simulation.paths),
                isActive: simulation.random.isLucky(70)), into: &effects)
    }

    /// The list grows at its end, so that places in it keep what they mean. After a reconnect the
    /// node is again what it was.
    private func changeResponders() {
        guard let path = nodes.last, let number = session.number(of: path),
            let declared = declarations.first(where: { $0.path == path })
        else {
            return
        }
        var declaration = declared
        declaration.responders.append(SimulationPlan.responder(&simulation.random))
        responders[path] = declaration.responders
        lastRequest += 1
        session.send(
            Change(request: lastRequest, node: number, declaration: declaration), into: &effects)
    }

    /// What an administrator does to others.
    func administer() {
        guard state == .running else {
            return
        }
        let path = simulation.random.pick(simulation.paths)
        let change: Administer.Change
        switch simulation.random.below(10) {
        case 0..<4: change = .move(path: path, under: simulation.random.pick(simulation.paths))
        case 4..<6: change = .drain(path: path, withSubtree: simulation.random.isLucky(30))
        case 6..<8: change = .detach(path: path, withSubtree: simulation.random.isLucky(30))
        case 8:
            change = .clearRetained(
                name: simulation.random.pick(SimulationPlan.publicationNames), path: path)
        default: change = .clearUndelivered
        }
        lastRequest += 1
        simulation.note("the administrator wants \(change)")
        session.send(Administer(request: lastRequest, change), into: &effects)
        perform()
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// The workload of a process.
extension SimulatedProcess {
    /// Triggers or publishes a random message, or cancels a request.
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
        if case .upward(.event) = direction, !simulation.unhandled.isEmpty,
            simulation.random.isLucky(4)
        {
            options.retried = simulation.random.pick(simulation.unhandled)
            options.flags.remove(.unacknowledged)
        }
        if simulation.plan.durablePercent > 0, case .upward(.event) = direction,
            options.retried == nil, simulation.random.isLucky(simulation.plan.durablePercent)
        {
            options.flags.remove(.unacknowledged)
            options.flags.insert(.durable)
            options.holdMilliseconds = 0
        }
        raise(raising, options)
        if options.flags.contains(.durable) {
            raiseFollowing(raising, options)
        }
    }

    /// Triggers a few similar events after a durable one, which must keep their order.
    private func raiseFollowing(_ durable: Raising, _ options: RaiseOptions) {
        for _ in 0..<simulation.random.within(0...3) {
            var options = options
            if simulation.random.isLucky(60) {
                options.flags.remove(.durable)
            }
            raise(Raising(name: durable.name, payload: simulation.payload()), options)
        }
    }

    private func origin() -> RaiseOptions.Origin {
        guard !nodes.isEmpty, simulation.random.isLucky(85) else {
            return .outsider(simulation.random.pick(simulation.paths))
        }
        return .node(simulation.random.pick(nodes))
    }

    // MARK: - Changes

    /// Makes a random change in the tree.
    func change() {
        guard state == .running, leaving == nil else {
            return
        }
        switch simulation.random.below(16) {
        case 0..<3:
            if let path = nodes.first, let number = session.number(of: path) {
                simulation.count(.left)
                beginRequest("leave")
                session.send(Leave(request: lastRequest, node: number), into: &effects)
            }
        case 3..<5: attachAgain()
        case 5..<7: changeResponders()
        case 7:
            if simulation.isFaulty {
                leave()
            }
        case 8..<12: set()
        case 12: setFromOutside()
        case 13: query()
        default: activate()
        }
        perform()
    }

    /// Sets random values, offers and watched keys of a node.
    private func set() {
        guard !nodes.isEmpty else {
            return
        }
        simulation.count(.set)
        beginRequest("set")
        let assignments = SimulationPlan.assignments(
            simulation.plan.nodeRules, &simulation.random)
        let path = simulation.random.pick(nodes)
        simulation.log("process \(index): \(path) sets \(assignments)", session: session.id)
        session.set(assignments, at: path, request: lastRequest, into: &effects)
    }

    private func setFromOutside() {
        simulation.count(.setFromOutside)
        beginRequest("set")
        var assignments = Assignments()
        for key in SimulationPlan.keys where simulation.random.isLucky(30) {
            let json = simulation.random.isLucky(60) ? "\(simulation.random.below(3))" : nil
            assignments.settings.append(
                EnvironmentSetting(EventName(unchecked: key), json))
        }
        session.send(
            SetEnvironment(
                request: lastRequest, path: simulation.random.pick(simulation.paths),
                assignments), into: &effects)
    }

    private func query() {
        let path = simulation.random.pick(simulation.paths)
        let key = EventName(unchecked: simulation.random.pick(SimulationPlan.keys))
        let subjects: [Query.Subject] = [
            .tree(path: path, depth: 9), .bus, .undelivered, .check, .rules,
            .environment(path: path, key: nil), .explanation(key: key, path: path),
            .environmentTree(key: key, path: path), .preferences(path: path),
            .subscribers(
                name: simulation.random.pick(SimulationPlan.publicationNames), path: path),
        ]
        simulation.count(.query)
        beginRequest("query")
        session.send(
            Query(request: lastRequest, simulation.random.pick(subjects)), into: &effects)
    }

    /// Leaves with all nodes. The process exits when that is confirmed.
    func leave() {
        guard state == .running, leaving == nil, session.state == .welcomed else {
            return
        }
        simulation.count(.leftWhole)
        beginRequest("leave")
        leaving = lastRequest
        simulation.log("process \(index) leaves", session: session.id)
        session.send(Leave(request: lastRequest), into: &effects)
        perform()
    }

    private func activate() {
        simulation.count(.activated)
        beginRequest("activate")
        let path = simulation.random.pick(simulation.paths)
        simulation.oracles.activation.exempt(path)
        session.send(
            Activate(
                request: lastRequest, path: path, isActive: simulation.random.isLucky(70)),
            into: &effects)
    }

    /// Appends a responder, so that the indices of others stay valid. After a reconnect the node
    /// has its first declaration again.
    private func changeResponders() {
        guard let path = nodes.last, let number = session.number(of: path),
            let declared = declarations.first(where: { $0.path == path })
        else {
            return
        }
        var declaration = declared
        declaration.responders.append(SimulationPlan.responder(&simulation.random))
        responders[path] = declaration.responders
        simulation.count(.changed)
        beginRequest("change")
        changing[lastRequest] = declaration
        simulation.oracles.activation.exempt(path)
        session.send(
            Change(request: lastRequest, node: number, declaration: declaration), into: &effects)
    }

    /// Makes a random change as an administrator.
    func administer() {
        guard state == .running else {
            return
        }
        let path = simulation.random.pick(simulation.paths)
        let change: Administer.Change
        switch simulation.random.below(10) {
        case 0..<4:
            simulation.count(.moved)
            change = .move(path: path, under: simulation.random.pick(simulation.paths))
        case 4..<6:
            simulation.count(.drained)
            change = .drain(path: path, withSubtree: simulation.random.isLucky(30))
        case 6..<8:
            simulation.count(.detached)
            change = .detach(path: path, withSubtree: simulation.random.isLucky(30))
        case 8:
            change = .clearRetained(
                name: simulation.random.pick(SimulationPlan.publicationNames), path: path)
        default: change = .clearUndelivered
        }
        beginRequest("administer")
        simulation.log("the administrator requests \(change)")
        session.send(Administer(request: lastRequest, change), into: &effects)
        perform()
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Declarations, checked against the messages that pass the nodes that made them.
///
/// A message passes a node when it arrives there from below or is raised there, before any of the
/// node's responders is asked. A message handled further down is not examined. A new name, given by
/// a transform, a catch or a thrown error, passes the node that gave it and all above.
extension Broker {
    mutating func declareSafety(_ declaration: NodeDeclaration, at node: NodeIndex) {
        let former = safety[node]
        safety.declare(
            SafetyDeclaration(
                triggers: declaration.triggers.map { numbers(of: $0) },
                reports: declaration.reports.map { numbers(of: $0) },
                level: declaration.safety,
                requiresExplicitResponders: declaration.requiresExplicitResponders),
            at: node)
        // They stay when the session ends, until the grace time of the place has passed.
        let account = hierarchy[node].account
        for name in safety[node]?.names ?? [] {
            names.declare(name.name, by: account, &accounts)
            accounts.chargeDeclared(Assignments.elementByteCount, to: account)
        }
        safety.setAccount(account, of: node)
        withdrawNames(of: former)
    }

    /// All names of a declaration have numbers before it is taken. One is declared once, however
    /// often it is said.
    private func numbers(of declared: [EventName]) -> [NameIndex] {
        var seen: Set<NameIndex> = []
        return declared.compactMap { names.existingNumber(of: $0) }
            .filter { seen.insert($0).inserted }
    }

    /// Removes the node's declaration. Returns whether there was one.
    @discardableResult
    mutating func forgetSafety(_ node: NodeIndex) -> Bool {
        let former = safety[node]
        safety.forget(node)
        withdrawNames(of: former)
        return former != nil
    }

    private mutating func withdrawNames(of former: SafetyDeclaration?) {
        for name in former?.names ?? [] {
            let account = former?.account ?? AccountTable.own
            names.withdraw(name.name, by: account, &accounts)
            accounts.chargeDeclared(-Assignments.elementByteCount, to: account)
        }
    }

    /// The names that a node declares; `nil` if it declares no such list.
    func declaredNames(_ list: DeclaredList, at node: NodeIndex) -> [EventName]? {
        safety[node]?[list]?.compactMap { names.name($0) }
    }

    // MARK: - Passing

    /// Returns whether the event may go on to `node`, or to the root if no node is left on its way.
    /// If not, the event has ended, rejected.
    @inline(__always)
    mutating func passesDeclarations(_ event: EventIndex, upTo node: NodeIndex?) -> Bool {
        safety.gateCount == 0 || passesGates(event, upTo: node)
    }

    private mutating func passesGates(_ event: EventIndex, upTo node: NodeIndex?) -> Bool {
        let last = node ?? Hierarchy.root
        let list = DeclaredList(traffic.events[event].lane)
        let name = DeclaredName(list: list, name: traffic.events[event].message.name)
        let first = firstUnchecked(event, name)
        traffic.events[event].recordChecked(CheckedPart(last: last, name: name.name, list: list))
        for gate in gates(list, from: first, through: last, of: event)
        where !safety.isDeclared(name, atOrBelow: gate, in: hierarchy) {
            guard mayPass(event, gate) else {
                return false
            }
        }
        return true
    }

    /// Returns the first place on the way that has not been checked under this name.
    private func firstUnchecked(_ event: EventIndex, _ name: DeclaredName) -> NodeIndex {
        let checked = traffic.events[event].checked
        guard checked.last != NodeIndex.none else {
            return traffic.events[event].message.origin.node
        }
        guard checked.name == name.name, checked.list == name.list else {
            return traffic.events[event].position
        }
        return place(above: checked.last, of: event)
    }

    /// The nodes between two places of the event's path, both included, that declare such a list.
    private mutating func gates(
        _ list: DeclaredList, from first: NodeIndex, through last: NodeIndex, of event: EventIndex
    ) -> [NodeIndex] {
        var found: [NodeIndex] = []
        var node = first
        if case .some = traffic.events.paths.fixedPath(of: event) {
            while node != NodeIndex.none {
                if safety[node]?[list] != nil {
                    found.append(node)
                }
                node = node == last ? NodeIndex.none : place(above: node, of: event)
            }
            return found
        }
        let depth = hierarchy[last].links.depth
        node = safety.gate(list, atOrAbove: first, in: hierarchy)
        while node != NodeIndex.none, hierarchy[node].links.depth >= depth {
            found.append(node)
            node = safety.gate(list, atOrAbove: hierarchy.parent(of: node), in: hierarchy)
        }
        return found
    }

    /// Applies a node's safety level to an undeclared name. Returns whether the event continues.
    private mutating func mayPass(_ event: EventIndex, _ gate: NodeIndex) -> Bool {
        let level = safety.level(at: gate, in: hierarchy)
        guard level != .disabled,
            let name = names.name(traffic.events[event].message.name)
                ?? traffic.events[event].message.text,
            !name.isOwnOfBus
        else {
            return true
        }
        let path = hierarchy.path(of: gate)
        let account = traffic.events[event].message.origin.account
        if safety.recordUndeclared(name, at: gate, by: account, accounts) {
            // Monitors receive it.
            hierarchy.advanceVersion()
            if level == .relaxed {
                log(.undeclared(path, name))
            }
        }
        guard level == .strict else {
            return true
        }
        let sentence = "'\(name)' is declared neither at '\(path)' nor below it"
        settle(event, .rejected, failure: Failure(.undeclared, message: sentence, node: path))
        return false
    }

    /// Whether a message of this name would be rejected when it passes the node.
    mutating func rejects(_ text: EventName, _ name: DeclaredName, at node: NodeIndex) -> Bool {
        safety[node]?[name.list] != nil && !text.isOwnOfBus
            && safety.level(at: node, in: hierarchy) == .strict
            && !safety.isDeclared(name, atOrBelow: node, in: hierarchy)
    }

    /// Ends the visit that was planned before a node that has yet to look at the event, and would
    /// not find its name declared.
    mutating func cutItinerary(of event: EventIndex) {
        guard safety.gateCount > 0 else {
            return
        }
        let stops = traffic.events[event].stops
        let list = DeclaredList(traffic.events[event].lane)
        let name = DeclaredName(list: list, name: traffic.events[event].message.name)
        for (index, stop) in stops.enumerated().dropFirst()
        where stop.node != stops[index - 1].node {
            let above = place(above: stops[index - 1].node, of: event)
            for gate in gates(list, from: above, through: stop.node, of: event)
            where !safety.isDeclared(name, atOrBelow: gate, in: hierarchy) {
                traffic.events[event].cutVisit(before: index)
                return
            }
        }
    }
}

extension EventName {
    private static let ownErrors = Set(ErrorCode.allCases.map { EventName($0) })

    /// Whether only the bus itself raises it, so that nodes need not declare it.
    fileprivate var isOwnOfBus: Bool {
        Self.ownErrors.contains(self) || isReserved
    }
}

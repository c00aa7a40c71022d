// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Stand-ins: how mounts declare them, and which subscribers of the bus below their deliveries reach.
extension Broker {
    /// Throws if a node that is no mount declares a stand-in.
    static func checkStandIns(_ declaration: NodeDeclaration) throws(WireError) {
        guard declaration.standIns.isEmpty || declaration.isMount else {
            throw WireError(
                .denied, "only mounts declare stand-ins, and '\(declaration.path)' is none")
        }
    }

    /// A mount declares its stand-ins, which are among its subscriptions. Those that are new, or have been
    /// activated below, are the most recent subscribers of their names.
    ///
    /// - Parameters:
    ///   - before: the stand-ins that it had.
    ///   - activation: what a session that resumes knows of the node; `nil` for any other.
    mutating func declareStandIns(
        _ standIns: [StandIn], at node: NodeIndex, before: [NameIndex: StandInTable.Entry],
        _ activation: Activation?
    ) {
        let left = traffic.publications.subscribers.standIns.takeLeft(of: node)
        guard !standIns.isEmpty else {
            return
        }
        // The daemon before has known the rank of the node alone.
        let rank = activation.map { hierarchy.admit(rank: $0.rank) } ?? hierarchy.nextRank()
        for standIn in standIns {
            guard let name = names.existingNumber(of: standIn.name) else {
                continue
            }
            let former = before[name] ?? (activation == nil ? nil : left[standIn.name])
            let isActivated = former.map { standIn.turn > $0.turn } ?? false
            traffic.publications.subscribers.standIns.declare(
                standIn, name, of: node, former: former,
                rank: isActivated ? hierarchy.nextRank() : rank)
        }
    }

    /// The node leaves. A session that resumes there goes on with its stand-ins.
    mutating func leaveStandIns(of node: NodeIndex) {
        guard !traffic.publications.subscribers.standIns.isEmpty else {
            return
        }
        let entries = traffic.publications.subscribers.standIns.take(
            hierarchy[node].subscriptions, of: node)
        var left: [EventName: StandInTable.Entry] = [:]
        for (number, entry) in entries {
            if let name = names.name(number) {
                left[name] = entry
            }
        }
        if !left.isEmpty {
            traffic.publications.subscribers.standIns.leave(node, with: left)
        }
    }

    /// The stand-ins of a node, in the order of its subscriptions.
    func standIns(of node: NodeIndex) -> [StandIn] {
        guard !traffic.publications.subscribers.standIns.isEmpty else {
            return []
        }
        return hierarchy[node].subscriptions.compactMap { number in
            guard let entry = traffic.publications.subscribers.standIns[number][node],
                let name = names.name(number)
            else {
                return nil
            }
            return StandIn(name, levels: entry.levels, turn: entry.turn)
        }
    }

    // MARK: - Deliveries

    /// Addresses the header of a delivery, if it is for a stand-in, to those below that it is for.
    func addressStandIn(
        _ header: inout Header, of name: NameIndex, to node: NodeIndex, _ reach: Reach,
        isRetained: Bool
    ) {
        guard traffic.publications.subscribers.standIns.contains(name, of: node) else {
            return
        }
        header.code |= reach.rawValue
        if isRetained {
            header.flags.insert(.retained)
        }
    }

    /// Lets the stand-ins that a retained publication is not delivered to keep it for later subscribers.
    mutating func giveToStandIns(_ publication: PublicationIndex, beside recipients: [NodeIndex]) {
        let record = traffic.publications[publication]
        let standIns = traffic.publications.subscribers.standIns[record.message.name]
        guard !standIns.isEmpty, let name = names.name(record.message.name),
            let value = traffic.publications.retained.value(
                of: name, of: hierarchy.path(of: record.publisher))
        else {
            return
        }
        let all = traffic.publications.subscribers.recipients(
            of: record.message.name, from: record.publisher, to: .all, in: hierarchy)
        for node in all where standIns[node] != nil && !recipients.contains(node) {
            send(value, record.message.name, to: node, .later)
        }
    }

    /// A stand-in has no subscriber below any more: the next choice follows.
    mutating func passed(_ publication: PublicationIndex, by node: NodeIndex) {
        // The verdict about a value that was given has no effect.
        guard !traffic.publications[publication].isGiven else {
            recipientEnded(publication)
            return
        }
        traffic.publications[publication].exclude(node)
        withdrawn(publication, from: node)
    }
}

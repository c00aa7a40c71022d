// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSimulator
import CascadeTestSupport
import CascadeWire

/// Checks on all effects of the broker.
extension ChaosBus: BrokerHost {
    mutating func send(_ header: Header, to peer: PeerID) {
        sent(header, header.encoded(), to: peer)
    }

    mutating func send(_ message: [UInt8], to peer: PeerID) {
        if let header = try? Header(parsing: message) {
            sent(header, message, to: peer)
        }
    }

    mutating func forward(_ sent: Forward) {
        note(payloads.send(sent))
        forwarded(sent.header, to: sent.peer, sent.itinerary)
    }

    mutating func disconnect(_ peer: PeerID) {
        expect(place(of: peer) != nil, "an unknown peer is disconnected")
        peers.removeAll { $0.id == peer }
    }

    mutating func persist(_ entry: JournalEntry) {}

    mutating func log(_ entry: LogEntry) {
        if case .moved(let path, let destination) = entry {
            moved(path, to: destination)
        }
    }

    mutating func note(_ fault: String?) {
        if let fault {
            faults.append(fault)
        }
    }

    // MARK: - Visits and deliveries

    private mutating func forwarded(
        _ header: Header, to peer: PeerID, _ itinerary: Itinerary?
    ) {
        guard let place = place(of: peer), peers[place].isOpen else {
            faults.append("a visit to an unknown peer")
            return
        }
        guard header.command != .outcome else {
            expect(ended(header.sequence, place), "a reply to no pending request")
            return
        }
        checkSource(header, in: place)
        let isVisit = header.command == .visit
        let node = isVisit ? header.node : recipient(header, itinerary, in: place)
        guard peers[place].own[node] != nil else {
            faults.append("a \(header.command) for a node that is not the session's")
            return
        }
        for stop in itinerary?.stops ?? [] {
            expect(peers[place].own[stop.node] != nil, "a stop at a node that is not its own")
        }
        if header.flags.contains(.unacknowledged) {
            peers[place].own[node]?.silentCount += 1
        } else {
            let open = ChaosPeer.Open(
                id: header.id, node: node, isPublication: !isVisit)
            expect(!peers[place].open.contains(open), "the same delivery twice")
            peers[place].open.append(open)
        }
        if let own = peers[place].own[node], own.isHonest {
            expect(peers[place].unansweredCount(node) <= own.prefetch, "more than the prefetch")
        }
    }

    private mutating func recipient(
        _ header: Header, _ itinerary: Itinerary?, in place: Int
    ) -> UInt32 {
        if let stop = itinerary?.stops.first {
            return stop.node
        }
        let subscribers = peers[place].names[header.name].map { peers[place].subscribers(of: $0) }
        expect(subscribers?.count == 1, "a delivery without a unique recipient")
        return subscribers?.first ?? Header.noNode
    }

    /// Whether the numbers of a visit or delivery are defined for the peer with the right meanings.
    private mutating func checkSource(_ header: Header, in place: Int) {
        let peer = peers[place]
        guard let session = peer.sessions[header.session] else {
            faults.append("a session without a definition")
            return
        }
        let id = EventID(session: session, sequence: header.sequence)
        guard session != SessionID(high: 0, low: 0) else {
            expect(header.name == 0 || peer.names[header.name] != nil, "an undefined name")
            return
        }
        guard let source = sources[id] else {
            faults.append("an event that no peer raised: \(id)")
            return
        }
        // A retained value belongs to its path, whichever nodes are moved there or away.
        guard !source.isAmbiguous, !header.flags.contains(.retained) else {
            return
        }
        let path = peer.path(header.origin)
        let isFormer =
            header.flags.contains(.retained) && path.map(source.formerPaths.contains) == true
        expect(
            path == source.path || isFormer,
            "\(source.path) shows as \(path?.description ?? "nothing")")
        if header.name != 0 {
            let name = peer.names[header.name]
            expect(name != nil, "a name without a definition")
            if header.command == .delivery, let expected = source.name {
                expect(name == expected, "a publication under another name")
            }
        }
    }

    /// The current path of an origin that was moved.
    private mutating func moved(_ path: NodePath, to destination: NodePath) {
        for id in Array(sources.keys) {
            if let source = sources[id]?.path, path.contains(source),
                sources[id]?.isForeign == false
            {
                sources[id]?.formerPaths.append(source)
                let rest = source.components.dropFirst(path.depth)
                let components = destination.components + rest
                sources[id]?.path = NodePath(joining: components.map(String.init))
            }
        }
    }

    // MARK: - Messages

    private mutating func sent(_ header: Header, _ bytes: [UInt8], to peer: PeerID) {
        guard let place = place(of: peer) else {
            faults.append("a \(header.command) for a peer that has left")
            return
        }
        if header.command == .welcome {
            expect(!peers[place].isOpen, "a second welcome")
            peers[place].isOpen = true
        }
        let isOpen = peers[place].isOpen || header.command == .violation
        expect(isOpen, "a \(header.command) before the welcome")
        do {
            try heard(header, bytes, place)
        } catch {
            faults.append("an unreadable \(header.command): \(error)")
        }
    }

    private mutating func heard(_ header: Header, _ bytes: [UInt8], _ place: Int) throws {
        switch header.command {
        case .define:
            for definition in try Define(parsing: bytes).definitions {
                switch definition {
                case .name(let number, let name): peers[place].names[number] = name
                case .node(let number, let path, _): peers[place].nodes[number] = path
                case .session(let number, let session):
                    peers[place].sessions[number] = session.id
                }
            }
        case .attached: attached(try Attached(parsing: bytes), place)
        case .done: changed(header.id, place)
        case .moved:
            let moved = try Moved(parsing: bytes)
            expect(peers[place].own[moved.node] != nil, "a move of a node that is not its own")
            peers[place].own[moved.node]?.path = moved.path
        case .detached:
            peers[place].own[header.node] = nil
            peers[place].open.removeAll { $0.node == header.node }
        case .outcome:
            let ended = try OutcomeMessage(parsing: bytes)
            expect(self.ended(ended.sequence, place), "an outcome that no session awaits")
            let isKnown = ended.node == Header.noNode || peers[place].path(ended.node) != nil
            expect(isKnown, "an outcome by a node without a definition")
        case .refused: refused(try Refused(parsing: bytes), place)
        case .beat: peers[place].lastBeat = header.id
        case .environment:
            let changes = try EnvironmentChanges(parsing: bytes)
            let isOwn = peers[place].own[changes.node] != nil
            expect(isOwn, "the environment of a node that is not its own")
            let isSilent = changes.changes.allSatisfy { $0.old != $0.new }
            expect(isSilent, "a change that is none")
        case .credit:
            peers[place].silentCount -= Int(header.code)
            expect(peers[place].silentCount >= 0, "credit for nothing")
        default: break
        }
    }

    /// Records an outcome. Returns whether the session waited for it: here, or on an earlier
    /// connection, whose outcomes may arrive before they are asked for on this one.
    private mutating func ended(_ sequence: UInt64, _ place: Int) -> Bool {
        let isPending = peers[place].pending.remove(sequence) != nil
        let isUnfinished = unfinished[peers[place].session]?.remove(sequence) != nil
        return isPending || isUnfinished
    }

    private mutating func attached(_ attached: Attached, _ place: Int) {
        let declared = peers[place].declarations.removeValue(forKey: attached.request) ?? []
        expect(declared.map(\.path) == attached.nodes.map(\.path), "other nodes are attached")
        for (node, declaration) in zip(attached.nodes, declared) {
            peers[place].own[node.number] = ChaosPeer.Node(
                path: node.path, subscriptions: declaration.subscribedNames,
                prefetch: Int(declaration.prefetch), isMount: declaration.isMount)
        }
    }

    private mutating func changed(_ request: UInt64, _ place: Int) {
        guard let node = peers[place].changed.removeValue(forKey: request),
            let declaration = peers[place].declarations.removeValue(forKey: request)?.first
        else {
            return
        }
        peers[place].own[node]?.subscriptions = declaration.subscribedNames
        peers[place].own[node]?.isMount = declaration.isMount
        // Earlier messages may exceed the room that the node has now.
        let unanswered = peers[place].unansweredCount(node)
        peers[place].own[node]?.prefetch = max(Int(declaration.prefetch), unanswered)
    }

    private mutating func refused(_ refused: Refused, _ place: Int) {
        expect(refused.code.refusesOnlyTheRequest, "a refusal with \(refused.code)")
        peers[place].declarations[refused.request] = nil
        guard refused.sequence > 0 else {
            return
        }
        unfinished[peers[place].session]?.remove(refused.sequence)
        if peers[place].pending.remove(refused.sequence) == nil {
            let isSilent = peers[place].silent.remove(refused.sequence) != nil
            expect(isSilent, "a refusal of what was not raised: \(refused.sentence)")
            peers[place].silentCount -= 1
        }
    }
}

extension NodeDeclaration {
    /// The names that it subscribes to, for itself or for the bus below it.
    fileprivate var subscribedNames: [EventName] {
        subscriptions + standIns.map(\.name)
    }
}

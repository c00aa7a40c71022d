// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import LocalTransport
import NATS
import ZeroMQ

/// A change of a gate's connection to its server.
enum ServerChange {
    case connected(ServerAddress)
    /// The connection has ended, or could not be opened.
    case lost(String)
    /// The server refuses the gate until an administrator changes something.
    case refused(String)

    /// The change for people.
    var sentence: String {
        switch self {
        case .connected(let address): "the gate is connected to the server \(address)"
        case .lost(let sentence), .refused(let sentence): sentence
        }
    }
}

/// Runs a gate: passes the messages of its children from the server, and their frames to the site's own bus.
final class GateDriver {
    /// The longest pause between two connections to the server. It is short, because all children wait.
    private static let pauseMax = Duration.milliseconds(500)
    private static let firstPause = Duration.milliseconds(100)
    /// The pause between two looks at connections that write their last bytes.
    private static let closingPause = Duration.milliseconds(10)

    private var gate: Gate
    private let access: SiteServerAccess
    private let server: ServerTransport
    private var subjects: GateSubjects
    /// The path of the socket of the site's own bus.
    private let busPath: String
    private var connections: GateConnections
    /// The connections of ended links that write their last bytes.
    private var closing: [(key: LinkKey, connection: GateConnection)] = []
    /// The links that may have something to publish at the end of the turn.
    private var unflushed: Set<LinkKey> = []
    /// The links whose frames wait because the bus reads slowly.
    private var paused: Set<LinkKey> = []
    private var dialsAt: Duration? = .zero
    private var pause = firstPause
    /// The unacknowledged bytes of all links at the beginning of the turn.
    private var byteCountUnderWay = 0
    /// The largest message of the server, as it told at the last connection.
    private var maxPayload: Int?
    var children: GateChildren
    private var reports: [GateReport] = []
    /// An array for the effects of one input, which keeps its memory for the next one.
    private var effects: [GateEffect] = []
    private var serverChanges: [ServerChange] = []
    /// Whether the connection to the server is open.
    var isConnected: Bool { server.isConnected }
    /// Whether the first attempt to reach the server has ended either way.
    private(set) var hasDialled = false
    // The items of the server and of the connections to the bus in the poller of the event loop.
    private var serverItems = 0..<0
    private var connectionItems = 0..<0

    /// Throws `ZeroMQError` if the process has reached its limit of descriptors.
    init(
        _ configuration: GateConfiguration, realm: SiteName, over access: SiteServerAccess,
        busPath: String
    ) throws(ZeroMQError) {
        gate = Gate(configuration)
        gate.disconnected()
        self.access = access
        self.busPath = busPath
        do throws(SystemError) {
            connections = try GateConnections()
        } catch {
            throw ZeroMQError(code: error.code, operation: "create an event loop")
        }
        subjects = GateSubjects(LinkSubjects(realm: realm, parent: configuration.name))
        server = try ServerTransport(
            access, .gate, pattern: subjects.upPattern, name: "cascade-site \(configuration.name)")
        children = GateChildren(configuration.children)
    }

    /// Adds what wakes the event loop to its poller.
    func add(to poller: inout Poller) {
        serverItems = poller.add(server.pollItems)
        connectionItems = poller.add(connections.pollItems)
    }

    var hasWork: Bool {
        connections.hasWork
    }

    func deadline(at now: Duration) -> Duration? {
        let closes = closing.isEmpty ? nil : now + Self.closingPause
        return .earliest(gate.deadline, dialsAt, closes, connections.deadline)
    }

    var traffic: LinkTraffic { server.traffic }
    var counters: GateCounters { gate.counters }

    func takeReports() -> [GateReport] {
        defer { reports = [] }
        return reports
    }

    /// Returns and removes the changes of the connection to the server.
    func takeServerChanges() -> [ServerChange] {
        defer { serverChanges = [] }
        return serverChanges
    }

    // MARK: - Inputs

    /// - Parameter poller: The poller of the event loop, after its wait.
    func turn(at now: Duration, _ poller: Poller) {
        byteCountUnderWay = gate.unacknowledgedByteCount
        if let due = dialsAt, due <= now {
            dialsAt = nil
            server.dial()
        }
        if poller.isAnyReadable(serverItems) {
            for event in server.turn() {
                process(event, at: now)
            }
        }
        if connections.isDue(at: now, connectionItems, poller) {
            for (key, connection) in connections.ready(at: now) {
                receive(from: connection, of: key, at: now)
            }
        }
        act(at: now) { $0.timePassed(at: $1, into: &$2) }
        endTurn(at: now)
    }

    /// Takes the names of the sites above, which no child may have.
    ///
    /// - Parameters:
    ///   - names: The names that the bridge knows.
    ///   - parent: The parent of the configuration, whose name is known before there is a link.
    func setAncestors(_ names: [String], parent: SiteName?, at now: Duration) {
        var ancestors = Set(names.compactMap { try? SiteName($0) })
        if let parent {
            ancestors.insert(parent)
        }
        if gate.ancestors != ancestors {
            act(at: now) { gate, _, effects in gate.setAncestors(ancestors, into: &effects) }
        }
    }

    /// Replaces the children of the configuration.
    func configure(_ configuration: GateConfiguration, at now: Duration) {
        children.configure(configuration.children)
        act(at: now) { $0.configure(configuration, at: $1, into: &$2) }
        adoptMaxPayload(at: now)
        endTurn(at: now)
    }

    /// Ends all links, and waits for a short time until the children know.
    func close(_ reason: String, at now: Duration) {
        act(at: now) { $0.close(reason, at: $1, into: &$2) }
        endTurn(at: now)
        server.finish()
        server.close()
        dialsAt = nil
    }

    private func process(_ event: ServerTransportEvent, at now: Duration) {
        switch event {
        case .connected(let maxPayload):
            hasDialled = true
            pause = Self.firstPause
            self.maxPayload = maxPayload
            serverChanges.append(.connected(access.address))
            adoptMaxPayload(at: now)
            act(at: now) { $0.connected(at: $1, into: &$2) }
        case .failed(let error):
            hasDialled = true
            let sentence = error.sentence(reaching: access)
            serverChanges.append(error.isRefusal ? .refused(sentence) : .lost(sentence))
            redial(at: now)
        case .ended(let error):
            serverChanges.append(.lost(error.sentence(reaching: access)))
            gate.disconnected()
            redial(at: now)
        case .message(let message):
            guard let (child, address) = subjects.sender(of: message.subject) else {
                return
            }
            if case .link(let link) = address {
                children.heard(child, at: now)
                unflushed.insert(LinkKey(child, link))
            }
            act(at: now) { $0.received(message.bytes, from: child, on: address, at: $1, into: &$2) }
        case .refused(let error):
            serverChanges.append(.refused(error.sentence(reaching: access)))
        case .unpublished(let subject, let error):
            let key = gate.openLinks.first { subjects.down($0) == subject }
            if let key {
                // The link would send the message again for good. The next one has the server's present maximum.
                act(at: now) { $0.close(key, error.reason, at: $1, into: &$2) }
            }
        case .noResponders:
            break
        }
    }

    private func redial(at now: Duration) {
        dialsAt = now + pause
        pause = min(pause * 2, Self.pauseMax)
    }

    /// Grants frames of the size that the server accepts.
    private func adoptMaxPayload(at now: Duration) {
        let present = gate.configuration
        guard let maxPayload, maxPayload - LinkSettings.payloadReserve != present.maximum else {
            return
        }
        do throws(GateConfigurationError) {
            let configuration = try GateConfiguration(
                name: present.name, bus: present.bus, children: present.children,
                maxPayload: maxPayload, patience: present.patience)
            act(at: now) { $0.configure(configuration, at: $1, into: &$2) }
        } catch {
            serverChanges.append(.refused("\(error)"))
        }
    }

    // MARK: - Connections to the bus

    private func receive(from connection: GateConnection, of key: LinkKey, at now: Duration) {
        var hasFrames = false
        connection.turn(at: now) { event in
            switch event {
            case .opened:
                act(at: now) { $0.busConnected(key, at: $1, into: &$2) }
                return true
            case .frame(let frame):
                hasFrames = true
                return gate.send(frame, on: key) != .full
            case .ended(let reason):
                connections.remove(key)
                act(at: now) {
                    $0.busDisconnected(
                        key, "the parent's bus has closed the connection: \(reason)", at: $1,
                        into: &$2)
                }
                return true
            }
        }
        if hasFrames {
            unflushed.insert(key)
        }
    }

    private func connect(_ key: LinkKey, at now: Duration) {
        do throws(SystemError) {
            connections.insert(try GateConnection(to: busPath, at: now), key)
        } catch {
            act(at: now) {
                $0.busDisconnected(
                    key, "the parent's bus cannot be reached: \(error)", at: $1, into: &$2)
            }
        }
    }

    private func endTurn(at now: Duration) {
        for (key, connection) in connections.flush(at: now) {
            regulate(key, connection, at: now)
        }
        let keys = unflushed
        unflushed = []
        for key in keys {
            act(at: now) { $0.flush(key, at: $1, into: &$2) }
        }
        endClosing(at: now)
    }

    /// Tells the gate which connections of ended links are closed: a child may have few that are not.
    private func endClosing(at now: Duration) {
        let before = closing
        closing = before.filter { !$0.connection.isClosed(at: now) }
        let open = Set(closing.map(\.key))
        for (key, _) in before where !open.contains(key) {
            act(at: now) { $0.busDisconnected(key, "closed", at: $1, into: &$2) }
        }
    }

    /// Holds the frames of a child back while the bus reads slowly.
    private func regulate(_ key: LinkKey, _ connection: GateConnection, at now: Duration) {
        if connection.isCongested {
            if paused.insert(key).inserted {
                gate.pause(key)
            }
        } else if paused.contains(key) {
            var isDone = false
            act(at: now) { isDone = $0.resume(key, at: $1, into: &$2) }
            if isDone {
                paused.remove(key)
            }
        }
    }

    // MARK: - Effects

    private func act(at now: Duration, _ change: (inout Gate, Duration, inout [GateEffect]) -> Void)
    {
        var effects = effects
        self.effects = []
        change(&gate, now, &effects)
        for effect in effects {
            perform(effect, at: now)
        }
        effects.removeAll(keepingCapacity: true)
        self.effects = effects
    }

    private func perform(_ effect: GateEffect, at now: Duration) {
        switch effect {
        case .publish(let child, let address, let bytes):
            server.publish(
                bytes, to: subjects.down(child, address), whileUnderWay: byteCountUnderWay)
        case .connect(let key):
            connect(key, at: now)
        case .deliver(let key, let frame):
            connections[key]?.send(frame)
        case .room(let key):
            unflushed.insert(key)
            connections[key]?.sendHeld { gate.send($0, on: key) != .full }
        case .disconnect(let key):
            disconnect(key, at: now)
        case .report(let report):
            children.apply(report, at: now)
            reports.append(report)
        }
    }

    private func disconnect(_ key: LinkKey, at now: Duration) {
        paused.remove(key)
        guard let connection = connections.remove(key) else {
            // The bus has closed it, or it was never open.
            act(at: now) { $0.busDisconnected(key, "closed", at: $1, into: &$2) }
            return
        }
        connection.close(at: now)
        closing.append((key, connection))
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import LocalTransport
import ZeroMQ

/// The connections of a gate to the site's own bus, and the event loop that tells which of them have
/// something.
///
/// A turn asks only those. With a thousand children, a call of the system for each would take longer than the
/// messages of a turn.
struct GateConnections: EventSource, ~Copyable {
    private var connections: [LinkKey: GateConnection] = [:]
    private var loop: Transport
    private var lastToken: UInt32 = 0

    /// Throws `SystemError` if the process has reached its limit of descriptors.
    init() throws(SystemError) {
        loop = try Transport(
            TransportConfiguration(
                admission: AdmissionLimits(perUser: 1, total: 1), framesPerTurn: 1))
    }

    /// The descriptors that wake the event loop of the owner.
    var pollItems: [PollItem] {
        let unwatched = connections.values.filter { $0.isRead && !$0.isWatched }
        return ([loop.descriptor] + unwatched.map(\.descriptor)).map { .fileDescriptor($0) }
    }

    var hasWork: Bool {
        connections.values.contains(where: \.hasWork)
    }

    var deadline: Duration? {
        connections.values.compactMap(\.deadline).min()
    }

    subscript(key: LinkKey) -> GateConnection? {
        connections[key]
    }

    mutating func insert(_ connection: GateConnection, _ key: LinkKey) {
        lastToken &+= 1
        connection.token = lastToken
        connections[key] = connection
    }

    @discardableResult
    mutating func remove(_ key: LinkKey) -> GateConnection? {
        let connection = connections.removeValue(forKey: key)
        if let connection, connection.isWatched {
            loop.remove(connection.descriptor)
            connection.isWatched = false
        }
        return connection
    }

    // MARK: - A turn

    /// Returns the connections that have something to receive, or whose time has come.
    mutating func ready(at now: Duration) -> [(key: LinkKey, connection: GateConnection)] {
        guard !connections.isEmpty else {
            return []
        }
        var tokens: Set<UInt32> = []
        loop.wait(until: now, at: now)
        while let event = loop.next(at: now) {
            if case .readable(let token) = event {
                tokens.insert(token)
            }
        }
        return connections.filter { _, connection in
            tokens.contains(connection.token) || connection.hasWork || !connection.isWatched
                || connection.deadline.map { $0 <= now } ?? false
        }.map { ($0, $1) }
    }

    /// Writes what was sent in this turn, and watches the connections that are read, and no others. Returns
    /// all.
    mutating func flush(at now: Duration) -> [(key: LinkKey, connection: GateConnection)] {
        for connection in connections.values {
            connection.flush(at: now)
            if connection.isRead != connection.isWatched {
                watch(connection)
            }
        }
        return connections.map { ($0, $1) }
    }

    private func watch(_ connection: GateConnection) {
        guard connection.isRead else {
            loop.remove(connection.descriptor)
            connection.isWatched = false
            return
        }
        // Without memory for it in the kernel, the owner waits for its descriptor itself.
        connection.isWatched =
            (try? loop.add(connection.descriptor, token: connection.token)) != nil
    }
}

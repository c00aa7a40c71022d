// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The tables that all users of the bus share, each with one limit for the whole bus.
///
/// This is the only list of them: the owner of an entry, the common limit, and the treatment of an
/// entry for which its user has no room. ``AccountTable`` counts them for the bus and for each
/// user; `status`, the metrics and the tests follow this list.
enum SharedTable: Int, CaseIterable, Sendable {
    /// Places in the tree. A place belongs to its holder, a vacant one to the user whose node made
    /// it necessary.
    case nodes
    /// Names with numbers; a name belongs to a user that declares it.
    case names
    /// Keys of environment, preferences and rules; a key belongs to a user that uses it.
    case keys
    /// Values set for paths. A value belongs to the user who set it.
    case keptValues
    /// Retained publications, and their bytes; a publication belongs to its publisher.
    case retained
    case retainedBytes
    /// Held events that are not durable, and their bytes. An event belongs to the user who
    /// triggered it; so do the entries of the tables below.
    case held
    case heldBytes
    /// Durable events without an outcome, and the bytes of their records and of the outcomes that
    /// are kept: these make room for a record of the same user.
    case durable
    case durableBytes
    /// Outcomes of durable events that no session has fetched.
    case durableOutcomes
    /// Sessions without a connection.
    case disconnectedSessions
    /// Subscriptions to monitor events; each costs time with every event.
    case monitors
    /// Undelivered events, and their bytes.
    case undelivered
    case undeliveredBytes
    /// Events with which sessions ended.
    case quarantined
    /// Events and publications that have ended and can be looked at.
    case traces
    /// Monitor events kept for inspection. A monitor event belongs to the user whose message caused
    /// it.
    case monitorEvents

    /// The treatment of an entry for which its user has no room.
    enum WhenFull: Sendable {
        /// It is refused, or an event that would have been held ends.
        case refuses
        /// The oldest of the same user makes room, and never another user's: the bus has promised
        /// to keep these.
        case evictsOwn
        /// While the table has room, a user may use more than its share. Once it is full, the
        /// oldest entry of the user that exceeds its share most makes room.
        case evictsMost
    }

    var whenFull: WhenFull {
        switch self {
        case .nodes, .names, .keys, .keptValues, .retained, .retainedBytes, .held, .heldBytes,
            .durable, .durableBytes, .monitors:
            .refuses
        case .durableOutcomes, .disconnectedSessions: .evictsOwn
        case .undelivered, .undeliveredBytes, .quarantined, .traces, .monitorEvents: .evictsMost
        }
    }

    /// Whether a user with an entry counts as present. Copies of ended messages do not make a user
    /// present, nor do numbers, which are freed some time after their last use.
    var countsAsPresence: Bool {
        whenFull != .evictsMost && self != .names && self != .keys
    }

    /// The name of its limit.
    var name: String {
        "\(self)"
    }

    func limit(in limits: Limits) -> UInt32 {
        switch self {
        case .nodes: limits.nodes
        case .names: limits.names
        case .keys: limits.keys
        case .keptValues: limits.keptValues
        case .retained: limits.retained
        case .retainedBytes: limits.retainedBytes
        case .held: limits.held
        case .heldBytes: limits.heldBytes
        case .durable: limits.durable
        case .durableBytes: limits.durableBytes
        case .durableOutcomes: limits.durableOutcomes
        case .disconnectedSessions: limits.disconnectedSessions
        case .monitors: limits.monitors
        case .undelivered: limits.undelivered
        case .undeliveredBytes: limits.undeliveredBytes
        case .quarantined: limits.quarantined
        case .traces: limits.traces
        case .monitorEvents: limits.monitorEvents
        }
    }

    /// Its entries as an error calls them.
    var noun: String {
        switch self {
        case .nodes: "places in the tree"
        case .names: "names"
        case .keys: "keys"
        case .keptValues: "values kept for paths"
        case .retained: "retained values"
        case .retainedBytes: "bytes of retained values"
        case .held: "held events"
        case .heldBytes: "bytes of held events"
        case .durable: "durable events without an outcome"
        case .durableBytes: "bytes of durable events and their outcomes"
        case .durableOutcomes: "outcomes of durable events"
        case .disconnectedSessions: "sessions without a connection"
        case .monitors: "monitors"
        case .undelivered: "undelivered events"
        case .undeliveredBytes: "bytes of undelivered events"
        case .quarantined: "events with which sessions ended"
        case .traces: "events and publications that have ended"
        case .monitorEvents: "monitor events"
        }
    }
}

/// How much of a shared table one user may have, and how much it has.
struct Share: Sendable {
    let table: SharedTable
    let owner: Owner
    /// Entries, or bytes, that the user has.
    let used: Int
    /// The most that it may have as things stand.
    let size: Int
    /// The limit of all users together.
    let limit: UInt32
    /// Whether the limit is lower than configured because the disk is small.
    var isBoundByDisk = false

    func hasRoom(for amount: Int) -> Bool {
        amount <= 0 || used + amount <= size
    }

    /// Throws, with the limit, the use and the share, if the user may not have `amount` more.
    func check(_ amount: Int) throws(WireError) {
        guard hasRoom(for: amount) else {
            throw WireError(
                .limitReached,
                "\(owner) uses \(used) of its share of \(size) (\(table.noun)), and \(amount) more "
                    + "would exceed it; all users together have \(limit) (limit \(table.name)"
                    + (isBoundByDisk ? ", as far as the disk has room)" : ")"))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A node as pages show it, with its place in the tree and the versions of its two rows.
struct ShownNode: Sendable {
    /// The number by which pages know the node, from 1. It stays when the place becomes vacant.
    let number: Int
    /// The number of the place in the bus's answers; `nil` from a bus that gives none.
    var place: UInt32?
    var path: NodePath
    /// The number of the parent; 0 for the root.
    var parent: Int
    var appearance: Appearance
    var activity = Activity()
    /// Whether pages are told of the node. They are not told of all nodes of a very large tree.
    var isTold = true
    /// The version of the view in which ``appearance`` changed last.
    var version: UInt64
    /// The version of the view in which ``activity`` changed last.
    var activityVersion: UInt64

    /// What the tree's answer says of a node and changes seldom.
    struct Appearance: Equatable, Sendable {
        var state: NodeState
        var unit: String
        var program: String
        var user: String
        /// The names that the node responds to.
        var asked: [String]
        /// The names that the node subscribes to.
        var told: [String]
        var since: Timestamp?
        /// The name of the site that stands at the node; `nil` if none does.
        var site: String?
    }

    var name: String {
        path.isRoot ? "/" : path.name
    }

    /// The counters of a node, and what follows from two readings of them.
    struct Activity: Equatable, Sendable {
        var perSecond = 0.0
        var queue: UInt64 = 0
        var meanMicroseconds: UInt64?
        var errors: UInt64 = 0
    }

    /// `[number, parent, name, state, unit, program, user, [asked], [told], since]`, and the site that stands
    /// there.
    var row: JSONValue {
        let row = NodeRow(
            number: number, parent: parent, name: name, state: appearance.state.name,
            unit: appearance.unit, program: appearance.program, user: appearance.user,
            asked: appearance.asked, told: appearance.told, since: appearance.since)
        return .array(row.elements + (appearance.site.map { [.string($0)] } ?? []))
    }

    /// `[number, perSecond, queue, meanMicroseconds, errors]`.
    var activityRow: JSONValue {
        .array([
            .integer(number), .decimal(activity.perSecond), .integer(activity.queue),
            activity.meanMicroseconds.map { .integer($0) } ?? .null, .integer(activity.errors),
        ])
    }
}

extension ShownNode.Appearance {
    init(_ node: NodeSnapshot, user: String?) {
        state = node.state
        unit = node.holder?.unit ?? ""
        program = node.holder?.program ?? ""
        self.user = user ?? ""
        asked = NodeRow.distinct(node.responders.map { $0.name?.description ?? NameRule.wildcard })
        told = NodeRow.distinct(node.subscriptions.map(\.description))
        since = node.since
        site = node.isMount ? node.holder?.key ?? node.path.name : nil
    }
}

extension ShownNode.Activity {
    /// The activity at a moment. The rate is averaged since the previous reading of the same session.
    init(_ now: NodeReading, since before: NodeReading?) {
        queue = now.counters.queue
        errors = now.counters.errors
        // Only acknowledged visits are measured.
        let measured = now.counters.measured
        meanMicroseconds = measured == 0 ? nil : now.counters.latencyMicroseconds / measured
        guard let before, before.session == now.session,
            before.counters.visits <= now.counters.visits, now.when > before.when
        else {
            return
        }
        let rate =
            Double(now.counters.visits - before.counters.visits) * 1_000_000
            / Double(now.when.microseconds(since: before.when))
        perSecond = (rate * 10).rounded() / 10
    }
}

/// The row by which pages are told of a node, of a bus or of a capture.
struct NodeRow {
    let number: Int
    let parent: Int
    let name: String
    let state: String
    let unit: String
    let program: String
    let user: String
    let asked: [String]
    let told: [String]
    let since: Timestamp?

    var elements: [JSONValue] {
        [
            .integer(number), .integer(parent), .string(name), .string(state), .string(unit),
            .string(program), .string(user), .array(asked.map { .string($0) }),
            .array(told.map { .string($0) }),
            since.map { .integer($0.microseconds / 1_000) } ?? .null,
        ]
    }

    /// Returns names without those that stand before in the list.
    static func distinct(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}

/// The counters of a node at a moment.
struct NodeReading: Sendable {
    var when: Timestamp
    var session: SessionID?
    var counters: NodeCounters
}

extension JSONValue {
    /// Returns a number with at most one decimal.
    static func decimal(_ value: Double) -> JSONValue {
        .number(value == value.rounded() ? String(Int64(value)) : String(value))
    }
}

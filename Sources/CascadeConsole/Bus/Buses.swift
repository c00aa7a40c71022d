// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import Synchronization

/// A bus that the console shows, with the name by which pages ask for it.
struct ShownBus: Sendable {
    let name: String
    let console: Console
    let session: BusSession
    /// The trees of other sites that pages have asked this bus for, and the children of its own nodes.
    let asked = AskedTrees()
}

/// The buses that the console shows, of which each page looks at one.
struct Buses: Sendable {
    /// The number of buses.
    static let countMax = 64

    /// The buses, in the order of the command line. There is at least one.
    let all: [ShownBus]
    let pageActivity: PageActivity

    /// Returns the bus of a name; the first one without a name. Throws ``Refusal`` if there is none.
    func named(_ name: String?) throws(Refusal) -> ShownBus {
        guard let name else {
            return all[0]
        }
        guard let bus = all.first(where: { $0.name == name }) else {
            throw Refusal(404, "noSuchBus", "This console does not show a bus of this name.")
        }
        return bus
    }

    /// The names by which pages ask for a bus. That of an only one is what the bus calls itself.
    var names: JSONValue {
        get async {
            guard all.count > 1 else {
                return .array([.string(await all[0].console.view.bus)])
            }
            return .array(all.map { .string($0.name) })
        }
    }

    /// `{name, bus, state, nodes, rate, trouble, since}` of each bus; `nil` if there is only one.
    var summaries: JSONValue? {
        get async {
            guard all.count > 1 else {
                return nil
            }
            var rows: [JSONValue] = []
            for bus in all {
                rows.append(await bus.console.view.summary(named: bus.name))
            }
            return .array(rows)
        }
    }
}

/// Whether a page has asked for any bus lately, so that the buses without a page are asked for their status
/// too.
final class PageActivity: Sendable {
    /// The time for which one request of a page counts.
    private static let recentDuration = Duration.seconds(30)

    private let last = Mutex<ContinuousClock.Instant?>(nil)

    var isRecent: Bool {
        last.withLock { $0.map { .now - $0 < Self.recentDuration } ?? false }
    }

    /// Records a request of a page.
    func record() {
        last.withLock { $0 = .now }
    }
}

extension BusView {
    /// What a list of several buses says of this one.
    func summary(named name: String) -> JSONValue {
        var members = JSONValue.memberList(["name": .string(name), "bus": .string(bus)])
        switch connection {
        case .live: members.append(.init(key: "state", value: "live"))
        case .away(let since, _):
            members.append(.init(key: "state", value: "away"))
            members.append(.init(key: "since", value: .integer(since.microseconds / 1_000)))
        }
        guard let totals = totals?.json else {
            return .object(members)
        }
        let number = { (part: String, key: String) in
            totals[part]?[key]?.integer(Int.self) ?? 0
        }
        // What waits for a person: undelivered and quarantined events, and silent nodes.
        let trouble =
            number("uses", "undelivered") + number("uses", "quarantined")
            + number("counters", "nodes.unresponsive")
        members += JSONValue.memberList([
            "nodes": .integer(number("uses", "nodes")), "rate": .decimal(rate),
            "trouble": .integer(trouble),
        ])
        return .object(members)
    }

    /// The number of messages a second that ended between the last two answers.
    private var rate: Double {
        let row = (seconds.last?.json.elements ?? []).map { $0.integer(Int.self) ?? 0 }
        guard row.count > 2, row[1] > 0 else {
            return 0
        }
        return (Double(row[2...].reduce(0, +)) * 10_000 / Double(row[1])).rounded() / 10
    }
}

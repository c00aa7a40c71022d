// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

// Every limit at 0, at 1, and lowered while the bus is full: the use stays within the limit, and
// the bus continues to work.
@Suite struct LimitExtremesTests {
    /// Limits that cannot be configured.
    private static let constants = ["valueDepth"]
    static let names = Limits().named.map(\.name).filter { !constants.contains($0) }

    /// Uses that may exceed their limit for a while.
    private static let exceptions = [
        // The youngest outcome is always kept.
        "replyBytes"
    ]

    /// Limits whose use is not measured: of one event, message, value or node at a time.
    private static let unmeasured: Set = [
        "depth", "pathBytes", "respondersPerNode", "subscriptionsPerNode", "connectionsPerUser",
        "messageBytes", "prefetchBytes", "unreadBytes", "waitingBytes", "waitingMessages",
        "framesPerMessage", "crashesPerEvent", "waitingEmits", "causes", "predicateSteps",
        "recipients", "queriesPerUser", "querySteps", "monitored", "keysPerNode", "valueBytes",
        "rulesPerNode", "fileRules",
    ]

    /// Commands that fill every table of the bus.
    private static let work = [
        "connect h 1", "attach h /h handle:Job prefetch=9 subscribe:Bell",
        "connect a 2", "attach a /h/a names:Job,Late triggers:Job env:k=1 watch:k watch:l",
        "attach h /m mount", "attach a /m2 mount",
        "attach a /h/a2 handle:Other", "trigger a /h/a Job", "verdict h handled",
        "trigger a /h/a Late", "trigger a /h/a Late", "trigger a /h/a Late hold=5s",
        "trigger a /h/a Late hold=5s", "trigger a /h/a Job emit", "trigger a /h/a Job emit",
        "publish a /h Bell outside", "verdict h handled", "publish a /h/a Menu retain",
        "publish a /h/a Card retain", "publish a /h/a Card retain emit",
        "trigger a /h/a Job durable", "trigger a /h/a Job durable", "persisted",
        "verdict h handled", "verdict h handled", "persisted",
        "set a /x m=1", "set a /y n=1", "unset a /x m", "watch a tree", "watch a tree",
        "monitor a kind=topology", "monitor a kind=topology",
        "connect b 3", "trigger b /h Job outside", "lose b", "connect c 4",
        "trigger c /h Job outside passOnLoss", "lose c", "accept h", "lose h", "undelivered",
        "happenings", "trace a#1", "leave a /h/a2", "lose a", "advance 20s",
    ]

    @Test(arguments: names, [UInt32(0), 1])
    func `the use of a limit of 0 or 1 never exceeds it`(_ name: String, value: UInt32) throws {
        var bus = try Self.bus(name, value)
        for line in Self.work {
            _ = bus.run(line)
            guard !Self.exceptions.contains(name), !Self.unmeasured.contains(name) else {
                continue
            }
            let use = try #require(bus.box).broker.uses.first { $0.name == name }
            // The root is a place, so the configuration allows no limit of 0 for places.
            let most = name == "nodes" ? max(1, value) : value
            #expect(try #require(use).value <= UInt64(most), "\(line)")
        }
        let isRefused = name == "messageBytes" || (name == "sessionsPerUser" && value == 0)
        let output = bus.run("connect z 9 uid=9")
        #expect(output.contains { $0.hasPrefix("z < welcome") } != isRefused, "\(output)")
    }

    @Test func `every command runs, and together they use each measured limit`() throws {
        var bus = ScenarioBus()
        _ = bus.run("bus durable crashesPerEvent=9")
        var most: [String: UInt64] = [:]
        for line in Self.work {
            let output = bus.run(line)
            #expect(!output.contains { $0.contains("UNUSABLE") }, "\(line): \(output)")
            for use in try #require(bus.box).broker.uses {
                most[use.name] = max(most[use.name] ?? 0, use.value)
            }
        }
        #expect(Set(Self.names).subtracting(most.keys) == Self.unmeasured)
        #expect(most.filter { $0.value == 0 }.map(\.key) == [])
    }

    @Test(arguments: names)
    func `a lowered limit evicts entries where the table permits, and refuses new ones`(
        _ name: String
    ) throws {
        var bus = try Self.bus(name, nil)
        for line in Self.work.prefix(while: { $0 != "leave a /h/a2" }) {
            _ = bus.run(line)
        }
        let before = try Self.use(of: name, bus)
        let key = name == "durable" ? "durableMax" : name
        _ = bus.run("bus \(key)=1")
        let after = try Self.use(of: name, bus)
        let table = SharedTable.allCases.first { $0.name == name }
        if let table, table.whenFull != .refuses {
            #expect(before > 1 || name == "quarantined", "the commands do not fill the table")
            #expect(after <= 1)
        }
        for line in Self.work {
            _ = bus.run(line)
            #expect(try Self.use(of: name, bus) <= max(1, after), "\(line)")
        }
    }

    private static func bus(_ name: String, _ value: UInt32?) throws -> ScenarioBus {
        var bus = ScenarioBus()
        let key = name == "durable" ? "durableMax" : name
        try #require(ScenarioBus.limits.contains { $0.0 == key }, "no such limit: \(name)")
        _ = bus.run("bus durable crashesPerEvent=9 \(value.map { "\(key)=\($0)" } ?? "")")
        return bus
    }

    private static func use(of name: String, _ bus: ScenarioBus) throws -> UInt64 {
        guard !exceptions.contains(name) else {
            return 0
        }
        return try #require(bus.box).broker.uses.first { $0.name == name }?.value ?? 0
    }
}

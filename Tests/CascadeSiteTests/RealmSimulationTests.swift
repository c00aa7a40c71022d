// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeSite
import CascadeWire
import Testing

// Two sites from worker to worker, whose processes end at any of their effects. Each message has one outcome,
// no durable event is lost, and no second effect is unmarked.
@Suite struct RealmSimulationTests {
    /// Raises one message of each kind, and lets them end.
    private static func work(_ simulation: RealmSimulation) {
        simulation.workDuration = 20...20
        simulation.effectCounts = [0, 0]
        simulation.raise("Job", .event, .durable)
        simulation.raise("Job")
        simulation.raise("Ask", .request)
        simulation.publish()
        simulation.advance(by: 1_500)
    }

    @Test(arguments: 0..<2)
    func `a process of a site may end at any of its effects`(site: Int) throws {
        let undisturbed = try RealmSimulation(seed: 0)
        Self.work(undisturbed)
        let count = undisturbed.effectCounts[site]
        undisturbed.settle()
        #expect(undisturbed.findings.isEmpty)
        #expect(count > 10)
        for effect in 1...count {
            let simulation = try RealmSimulation(seed: 0)
            simulation.faults.kills = [RealmSimulation.Kill(site: site, effect: effect)]
            Self.work(simulation)
            #expect(simulation.killCount == 1)
            simulation.settle()
            #expect(simulation.findings.isEmpty, "effect \(effect)")
        }
    }

    @Test func `an event that was above when the child's process ended is not quarantined`() throws
    {
        let simulation = try RealmSimulation(seed: 0)
        simulation.workDuration = 20_000...20_000
        simulation.raise("Job", .event, .durable)
        for _ in 1...5 {
            simulation.advance(by: 2_000)
            #expect(simulation.sites[1].program?.underWayCount == 1)
            simulation.kill(1, for: 200)
        }
        simulation.settle()
        #expect(simulation.findings.isEmpty)
    }

    @Test func `a loss of power at home costs no durable event, and no second effect is unmarked`()
        throws
    {
        for moment in 0..<40 {
            let simulation = try RealmSimulation(seed: 0)
            simulation.sites[1].bus.syncMilliseconds = 3
            simulation.workDuration = 5...20
            for _ in 1...6 {
                simulation.raise("Job", .event, .durable)
                simulation.advance(by: 2)
            }
            simulation.advance(by: moment)
            simulation.losePower(1, for: 300)
            simulation.settle()
            #expect(simulation.findings.isEmpty, "\(moment) ms")
            let outcomes = simulation.workers[1].ends.values.map(\.ended.code)
            #expect(outcomes == Array(repeating: .handled, count: 7), "\(moment) ms")
        }
    }

    @Test(arguments: 0..<2)
    func `a realm outlives all faults at once`(half: Int) async throws {
        var killCount = 0
        for seed in stride(from: UInt64(half), to: 60, by: 2) {
            // Other tests must not wait for all of this one.
            await Task.yield()
            let simulation = try RealmSimulation(seed: seed)
            simulation.runAtRandom()
            simulation.settle()
            #expect(simulation.findings.isEmpty, "seed \(seed)")
            killCount += simulation.killCount
        }
        #expect(killCount > 60)
    }

    @Test func `messages of earlier links have no effect and are counted`() throws {
        for site in 0..<2 {
            let simulation = try RealmSimulation(seed: 0)
            Self.work(simulation)
            simulation.kill(site, for: 200)
            simulation.advance(by: 8_000)
            #expect(simulation.isUp)
            let before = simulation.sites.compactMap { $0.program?.ignoredCount }.reduce(0, +)
            let effectCount = simulation.workers.map(\.effects.count)
            let count = simulation.repeatEarlierLinks()
            simulation.advance(by: 0)
            let after = simulation.sites.compactMap { $0.program?.ignoredCount }.reduce(0, +)
            #expect(count > 20)
            #expect(after - before == UInt64(count))
            #expect(simulation.workers.map(\.effects.count) == effectCount)
            #expect(simulation.isUp)
            simulation.settle()
            #expect(simulation.findings.isEmpty)
        }
    }

    @Test(arguments: [0, 1, 20, 200])
    func `a late request at a restarted gate for the link in use costs no message`(
        delay: Int
    ) throws {
        let restart = 200
        // Before the session's welcome has come, and in the midst of work.
        for isLinked in [false, true] {
            let simulation = try RealmSimulation(seed: 0)
            simulation.workDuration = 20...20
            if !isLinked {
                simulation.kill(1, for: 0)
                while simulation.sites[1].program?.link?.isOpen != true {
                    simulation.advance(by: 1)
                }
                #expect(!simulation.isUp)
            }
            let link = try #require(simulation.sites[1].program?.link?.id)
            simulation.raise("Job", .event, .durable)
            simulation.raise("Job")
            simulation.raise("Ask", .request)
            simulation.advance(by: 10)
            simulation.kill(0, for: restart)
            simulation.repeatRequest(of: link, after: restart + delay)
            simulation.advance(by: restart + delay)
            #expect(simulation.sites[1].program?.link?.id == link)
            simulation.raise("Job", .event, .durable)
            simulation.publish()
            simulation.advance(by: 4_000)
            #expect(simulation.isUp)
            simulation.settle()
            #expect(simulation.findings.isEmpty, "linked: \(isLinked)")
        }
    }

    @Test func `a wall clock that jumps changes nothing`() throws {
        func effects(jumping: Bool) throws -> [Int] {
            let simulation = try RealmSimulation(seed: 0)
            simulation.workDuration = 300...300
            simulation.raise("Job", .event, .durable)
            simulation.raise("Ask", .request)
            simulation.advance(by: 100)
            if jumping {
                simulation.sites[0].bus.setWallClock(epochNanoseconds: 1_900_000_000_000_000_000)
                simulation.sites[1].bus.setWallClock(epochNanoseconds: 0)
            }
            simulation.advance(by: 1_000)
            simulation.publish()
            simulation.settle()
            #expect(simulation.findings.isEmpty)
            return simulation.effectCounts + simulation.workers.map(\.effects.count)
        }
        let ofJumping = try effects(jumping: true)
        let ofSteady = try effects(jumping: false)
        #expect(ofJumping == ofSteady)
    }
}

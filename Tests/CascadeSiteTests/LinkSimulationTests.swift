// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Testing

@Suite struct LinkSimulationTests {
    @Test func `each frame comes once and in order over a bad transport, for 1,000 seeds`() async {
        var repetitionCount = 0
        var endCount = 0
        for seed in 0..<1_000 as Range<UInt64> {
            // Other tests must not wait for all of this one.
            await Task.yield()
            var simulation = LinkSimulation(seed: seed)
            simulation.run(frameCount: 30)
            #expect(simulation.findings.isEmpty, "seed \(seed)")
            repetitionCount += simulation.repetitionCount
            endCount += simulation.ends.isEmpty ? 0 : 1
        }
        // The faults must take effect, and nearly all links must outlive them.
        #expect(repetitionCount > 3_000)
        #expect(endCount < 20)
    }

    @Test(arguments: LinkBug.allCases) func `the checks find a planted bug`(_ bug: LinkBug) {
        let isFound =
            bug == .noRequest
            ? repairTime(bug) > 500
            : (0..<200).contains { (seed: UInt64) in
                var simulation = LinkSimulation(seed: seed, bug: bug)
                simulation.run(frameCount: 60)
                return !simulation.findings.isEmpty
            }
        #expect(isFound)
    }

    @Test func `a lost message amid others is sent again long before the timer`() {
        #expect(repairTime(nil) < 100)
    }

    /// The milliseconds from the loss of a message, which others follow, until all frames are there.
    private func repairTime(_ bug: LinkBug?) -> Int {
        var simulation = LinkSimulation(seed: 1, faults: .init(delay: 10...10), bug: bug)
        func send(_ mark: UInt8) {
            simulation.send([mark, mark], from: 0)
            simulation.flush(0)
        }
        send(1)
        simulation.advance(by: 50)
        send(2)
        simulation.loseFlights(to: 1)
        send(3)
        let start = simulation.now
        while simulation.deliveredCount(at: 1) < 3, simulation.now < start + 10_000 {
            simulation.advance(by: 1)
        }
        return simulation.now - start
    }

    @Test func `the last message is sent again after a second`() {
        var simulation = LinkSimulation(seed: 1, faults: .init())
        simulation.send([1], from: 0)
        simulation.flush(0)
        simulation.loseFlights(to: 1)
        simulation.advance(by: 990)
        #expect(simulation.deliveredCount(at: 1) == 0)
        simulation.advance(by: 20)
        #expect(simulation.deliveredCount(at: 1) == 1)
    }

    @Test func `an idle link publishes less than one message a second each way`() {
        var simulation = LinkSimulation(seed: 1, faults: .init())
        simulation.advance(by: 60_000)
        #expect((90...100).contains(simulation.publicationCount))
        #expect(simulation.ends.isEmpty)
    }
}

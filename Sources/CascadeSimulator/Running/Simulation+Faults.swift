// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// The ticks of a run. Each may inject faults, and advances the workload.
extension Simulation {
    func tick(_ number: Int) {
        guard number < options.ticks else {
            isFaulty = false
            return
        }
        plan(.tick(number + 1), afterMicroseconds: random.within(plan.pause))
        injectFaults()
        checkState()
        if random.happens(perMille: plan.faults.changes) {
            if random.isLucky(25) {
                processes[0].administer()
            } else {
                random.pick(processes).change()
            }
        }
        for _ in 0..<random.within(1...4) {
            random.pick(processes).act()
        }
    }

    /// Checks the invariants that hold at every tick.
    private func checkState() {
        guard daemon.state == .running else {
            return
        }
        addFinding(oracles.limit.check(daemon.broker.tableSizes))
        if random.isLucky(10) {
            addFinding(oracles.environment.check(daemon.broker.places))
        }
    }

    private func injectFaults() {
        let faults = plan.faults
        if random.happens(perMille: faults.processCrashes) {
            crash(random.pick(processes))
        }
        if random.happens(perMille: faults.processStops) {
            let process = random.pick(processes)
            process.stop()
            plan(.continueProcess(process.index), afterMilliseconds: random.pick([5, 300, 6_000]))
        }
        if random.happens(perMille: faults.brokenConnections),
            let connection = random.pick(processes).connection
        {
            sever(connection)
        }
        if random.happens(perMille: faults.partitions) {
            let process = random.below(processes.count)
            partition(process, milliseconds: UInt32(random.pick([50, 2_000, 12_000])))
        }
        if random.happens(perMille: faults.refusedSends) {
            isRefusalDue = true
        }
        if random.happens(perMille: faults.daemonCrashes) {
            crashDaemon()
        }
        if random.happens(perMille: faults.daemonStops) {
            daemon.stop()
            plan(.continueDaemon, afterMilliseconds: random.pick([5, 300, 6_000]))
        }
    }

    /// Kills the process now, or between the effects of its next input.
    private func crash(_ process: SimulatedProcess) {
        if random.isLucky(40) {
            process.crash()
        } else if process.state == .running {
            process.effectsUntilCrash = random.below(12)
        }
    }

    private func crashDaemon() {
        if random.isLucky(20) {
            daemon.stopGracefully()
        } else if random.isLucky(30) {
            daemon.crash()
        } else if daemon.state == .running {
            daemon.effectsUntilCrash = random.below(40)
        }
    }
}

/// The rates of faults and changes, per thousand ticks.
struct FaultRates: CustomStringConvertible {
    /// A process is killed: between two messages, or between the effects of one.
    var processCrashes: Int
    /// A process is stopped, and continued later.
    var processStops: Int
    /// A connection breaks while both ends run.
    var brokenConnections: Int
    /// All messages to and from a process are delayed for a time.
    var partitions: Int
    /// A new connection loses all messages; per thousand connections.
    var blackHoles: Int
    /// The daemon's send to a peer is refused.
    var refusedSends: Int
    var daemonCrashes: Int
    var daemonStops: Int
    /// Nodes attach, leave, change, or are moved, drained and detached.
    var changes: Int

    init(_ random: inout Randomness) {
        // Every sixth bus has no faults, so that a finding there needs none.
        let isQuiet = random.below(6) == 0
        func rate(_ choices: [Int], _ random: inout Randomness) -> Int {
            let rate = random.pick(choices)
            return isQuiet ? 0 : rate
        }
        processCrashes = rate([0, 5, 30], &random)
        processStops = rate([0, 5, 30], &random)
        brokenConnections = rate([0, 5, 30], &random)
        partitions = rate([0, 0, 5], &random)
        blackHoles = rate([0, 100], &random)
        refusedSends = rate([0, 0, 10], &random)
        daemonCrashes = rate([0, 3, 15], &random)
        daemonStops = rate([0, 0, 10], &random)
        changes = random.pick([0, 40, 150])
    }

    var description: String {
        """
        of 1,000 ticks: process crashes \(processCrashes), process stops \(processStops), broken \
        connections \(brokenConnections), partitions \(partitions), black holes \
        \(blackHoles), refused sends \(refusedSends), daemon crashes \
        \(daemonCrashes), daemon stops \(daemonStops), changes \(changes)
        """
    }
}

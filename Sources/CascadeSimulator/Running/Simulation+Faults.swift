// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// The ticks of a run: each may inject faults, and advances the workload.
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
        find(oracles.limit.check(daemon.broker.tableSizes))
        if random.isLucky(10) {
            find(oracles.environment.check(daemon.broker.places))
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

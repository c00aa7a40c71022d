// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// One tick after the other: somebody does something, or something breaks.
extension Simulation {
    func tick(_ number: Int) {
        guard number < options.ticks else {
            isFaulty = false
            return
        }
        plan(.tick(number + 1), afterMicroseconds: random.within(plan.pause))
        breakSomething()
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

    /// What has to hold between any two things that happen.
    private func checkState() {
        guard daemon.state == .running else {
            return
        }
        find(oracles.limit.check(daemon.broker.tableSizes))
        if random.isLucky(10) {
            find(oracles.environment.check(daemon.broker.places))
        }
    }

    private func breakSomething() {
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

    /// Now, or in the middle of what follows from what comes.
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

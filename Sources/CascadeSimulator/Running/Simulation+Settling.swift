// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// The second phase of a run. All faults are repaired; then all messages under way must end in bounded
/// time and leave no state.
extension Simulation {
    /// The time in which all messages must end: each deadline may pass twice, after the holding time of an
    /// event and a restart.
    private static let settlingMilliseconds = 5 * SimulationPlan.longestMilliseconds + 20_000

    func settle() {
        guard findings.isEmpty else {
            return
        }
        log("all faults are repaired")
        let repaired = now
        repairFaults()
        advance(milliseconds: Self.settlingMilliseconds)
        guard findings.isEmpty else {
            return
        }
        addFinding(oracles.outcome.overdue(at: now))
        if !daemon.broker.isIdle {
            addFinding(Finding("settling", "a message is under way long after every deadline"))
        }
        addFinding(oracles.answer.overdue(since: repaired))
        let unansweredCount = daemon.broker.unansweredCount
        if unansweredCount > 0 {
            addFinding(Finding("settling", "\(unansweredCount) visits have not been answered"))
        }
        addFinding(oracles.environment.check(daemon.broker.places))
        addFinding(oracles.activation.check(daemon.broker.activationOrder))
        checkPresence()
        endProcesses()
        // The longest time until a session's end is detected and its state expires.
        advance(milliseconds: 62_000)
        checkLeftovers()
    }

    private func repairFaults() {
        isRefusalDue = false
        partitionEnds = [:]
        daemon.effectsUntilCrash = nil
        daemon.resume()
        daemon.start()
        for process in processes {
            process.effectsUntilCrash = nil
            process.backlog = []
            process.resume()
            process.start()
        }
    }

    /// Checks that each node that a process regards as attached is attached by this process.
    private func checkPresence() {
        for process in processes where process.state == .running {
            guard process.session.state == .welcomed else {
                addFinding(
                    Finding(
                        "presence", "process \(process.index) has not reconnected",
                        session: process.session.id))
                continue
            }
            if !process.session.canRaise, process.attaching.isEmpty {
                addFinding(
                    Finding(
                        "credit", "process \(process.index) has nothing under way and no credit",
                        session: process.session.id))
            }
            for path in process.nodes {
                let number = process.session.number(of: path)
                let node = number.flatMap { daemon.wiretap.nodes[$0] }
                let isOwn =
                    node?.path == path
                    && node.flatMap { daemon.connections[$0.holder] } == process.connection
                guard isOwn, let number else {
                    addFinding(
                        Finding(
                            "presence",
                            "process \(process.index) regards \(path) as its node, but the daemon "
                                + "does not",
                            session: process.session.id))
                    continue
                }
                let arrived = process.environment[path] ?? [:]
                if !oracles.environment.haveAllArrived(arrived, at: number) {
                    addFinding(
                        Finding(
                            "environment",
                            "\(path) did not receive all notifications of its environment",
                            session: process.session.id))
                }
            }
        }
    }

    /// Ends all processes: some leave, some are killed.
    private func endProcesses() {
        log("all processes end")
        for process in processes {
            if random.isLucky(50) {
                process.leave()
            } else {
                process.end()
            }
        }
    }

    private func checkLeftovers() {
        guard findings.isEmpty else {
            return
        }
        for process in processes where process.state != .down {
            addFinding(
                Finding(
                    "settling", "process \(process.index) has not left",
                    session: process.session.id))
        }
        for sentence in daemon.broker.remains {
            addFinding(Finding("settling", "long after all processes have ended, \(sentence)"))
        }
        let retainedCount = daemon.broker.retainedCount
        if daemon.payloads.count != retainedCount {
            addFinding(
                Finding(
                    "payload",
                    "\(daemon.payloads.count) messages are in memory, with \(retainedCount) "
                        + "retained publications"))
        }
    }
}

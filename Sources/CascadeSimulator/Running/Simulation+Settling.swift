// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// The second phase of a run: all faults are repaired, and all messages under way must end in
/// bounded time and leave no state behind.
extension Simulation {
    /// Every deadline may pass twice, after the time of a held event and a restart.
    private static let settlingMilliseconds = 5 * SimulationPlan.longestMilliseconds + 20_000

    func settle() {
        guard findings.isEmpty else {
            return
        }
        note("from here on nothing breaks")
        let healed = now
        heal()
        advance(milliseconds: Self.settlingMilliseconds)
        guard findings.isEmpty else {
            return
        }
        find(oracles.outcome.overdue(at: now))
        if !daemon.broker.isIdle {
            find(Finding("settling", "a message is under way long after every deadline"))
        }
        find(oracles.answer.overdue(since: healed))
        let unansweredCount = daemon.broker.unansweredCount
        if unansweredCount > 0 {
            find(Finding("settling", "\(unansweredCount) visits have not been answered"))
        }
        find(oracles.environment.check(daemon.broker.places))
        find(oracles.activation.check(daemon.broker.activationOrder))
        checkPresence()
        endProcesses()
        // The longest time until a session's end is detected and its state expires.
        advance(milliseconds: 62_000)
        checkLeftovers()
    }

    private func heal() {
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

    /// Checks that the nodes that a process holds are attached and its own.
    private func checkPresence() {
        for process in processes where process.state == .running {
            guard process.session.state == .welcomed else {
                find(
                    Finding(
                        "presence", "process \(process.index) has not reconnected",
                        session: process.session.id))
                continue
            }
            if !process.session.canRaise, process.attaching.isEmpty {
                find(
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
                    find(
                        Finding(
                            "presence",
                            "process \(process.index) holds \(path) only by its own account",
                            session: process.session.id))
                    continue
                }
                let arrived = process.environment[path] ?? [:]
                if !oracles.environment.isToldExactly(arrived, to: number) {
                    find(
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
        note("all processes end")
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
            find(
                Finding(
                    "settling", "process \(process.index) has not left",
                    session: process.session.id))
        }
        for sentence in daemon.broker.remains {
            find(Finding("settling", "long after all processes have ended, \(sentence)"))
        }
        let kept = daemon.broker.retainedCount
        if daemon.payloads.count != kept {
            find(
                Finding(
                    "payload", "\(daemon.payloads.count) messages are kept for \(kept) values"))
        }
    }
}

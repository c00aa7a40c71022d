// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// The second part of a run: nothing breaks any more, what was broken is mended, and all that is
/// under way has to end in bounded time and leave nothing behind.
extension Simulation {
    /// Every deadline may come twice, after a held event's time and a restart.
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
            find(Finding("settling", "something is under way long after every deadline"))
        }
        find(oracles.answer.overdue(since: healed))
        let unansweredCount = daemon.broker.unansweredCount
        if unansweredCount > 0 {
            find(Finding("settling", "\(unansweredCount) visits have not been answered"))
        }
        find(oracles.environment.check(daemon.broker.places))
        find(oracles.activation.check(daemon.broker.activationOrder))
        checkPresence()
        part()
        // The longest that a session is waited for, and until its end is noticed.
        advance(milliseconds: 62_000)
        checkRemains()
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

    /// What a process believes to stand in the tree does, and is its own.
    private func checkPresence() {
        for process in processes where process.state == .running {
            let session = process.session
            guard session.state == .welcomed else {
                find(
                    Finding(
                        "presence", "process \(process.index) has not come back",
                        session: session.id))
                continue
            }
            if !session.canRaise, process.attaching.isEmpty {
                find(
                    Finding(
                        "credit", "process \(process.index) has nothing under way and no credit",
                        session: session.id))
            }
            for path in process.nodes {
                let number = session.number(of: path)
                let node = number.flatMap { daemon.wiretap.nodes[$0] }
                let isOwn =
                    node?.path == path
                    && node.flatMap { daemon.connections[$0.holder] } == process.connection
                guard isOwn, let number else {
                    find(
                        Finding(
                            "presence", "process \(process.index) believes to hold \(path)",
                            session: session.id))
                    continue
                }
                let arrived = process.environment[path] ?? [:]
                if !oracles.environment.isToldExactly(arrived, to: number) {
                    find(
                        Finding(
                            "environment",
                            "\(path) has not heard all that it was told of its environment",
                            session: session.id))
                }
            }
        }
    }

    /// Everybody goes: some leave, some are killed.
    private func part() {
        note("everybody goes")
        for process in processes {
            if random.isLucky(50) {
                process.leave()
            } else {
                process.end()
            }
        }
    }

    private func checkRemains() {
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
            find(Finding("settling", "long after everybody has gone, \(sentence)"))
        }
        let kept = daemon.broker.retainedCount
        if daemon.payloads.count != kept {
            find(
                Finding(
                    "payload", "\(daemon.payloads.count) messages are kept for \(kept) values"))
        }
    }
}

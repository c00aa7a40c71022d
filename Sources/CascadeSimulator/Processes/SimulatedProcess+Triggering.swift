// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession
import CascadeWire

/// Triggers and cancels messages, and reports them to the oracles.
extension SimulatedProcess {
    /// Raises the messages of the backlog while the session has credit.
    func raiseBacklog() {
        while state == .running, session.canRaise, !backlog.isEmpty {
            let (raising, options) = backlog.removeFirst()
            raiseNow(raising, options)
        }
    }

    /// Raises a message as soon as the session has credit. Drops it if the backlog is full.
    func raise(_ raising: Raising, _ options: RaiseOptions) {
        guard backlog.count < 200 else {
            return
        }
        backlog.append((raising, options))
        raiseBacklog()
        perform()
    }

    private func raiseNow(_ raising: Raising, _ options: RaiseOptions) {
        if case .node(let path) = options.origin, session.number(of: path) == nil {
            return
        }
        do throws(WireError) {
            let sequence = try session.raise(raising, options, into: &effects)
            simulation.count(.raised)
            log(
                "raises #\(sequence), \(raising.name) \(options.direction) "
                    + "from \(options.origin.path)",
                sequence)
            record(raising, options, id(sequence))
            let milliseconds =
                options.deadlineMilliseconds == 0
                ? simulation.plan.configuration.deadlineMilliseconds
                : options.deadlineMilliseconds
            simulation.oracles.order.raised(
                id(sequence), raising, options, epoch: epoch(of: connection),
                deadline: simulation.now.advanced(byMilliseconds: milliseconds))
            guard !options.flags.contains(.unacknowledged) else {
                return
            }
            if case .upward(.request) = options.direction {
                requests.append(sequence)
            }
            simulation.oracles.outcome.raised(id(sequence), by: index, at: simulation.now)
        } catch {
            simulation.addFinding(Finding("protocol", "a short message is too long: \(error)"))
        }
    }

    /// Counts a raised message, and reports its payload to the oracle.
    private func record(_ raising: Raising, _ options: RaiseOptions, _ event: EventID) {
        switch options.direction {
        case .upward(.event): break
        case .upward(.error): simulation.count(.report)
        case .upward(.request): simulation.count(.request)
        case .upward(.cascade): simulation.count(.cascade)
        case .down: simulation.count(.publication)
        }
        if options.retried != nil {
            simulation.count(.retry)
        }
        if options.holdMilliseconds > 0 {
            simulation.count(.held)
        }
        if options.flags.contains(.retained) {
            simulation.count(.retained)
        }
        if options.flags.contains(.durable) {
            simulation.count(.durable)
        }
        if options.flags.contains(.unacknowledged) {
            simulation.count(.emit)
        }
        simulation.oracles.payload.sent(event, raising.payload)
    }

    /// Returns the epoch of a connection. Each connection and each daemon begins another one; order holds
    /// only within an epoch, because messages are redelivered between them.
    func epoch(of connection: ConnectionID?) -> Int {
        (connection?.number ?? 0) << 16 | simulation.daemon.incarnation
    }

    func cancel(_ sequence: UInt64) {
        requests.removeAll { $0 == sequence }
        log("cancels #\(sequence)", sequence)
        simulation.count(.cancelled)
        if session.state != .welcomed {
            _ = simulation.oracles.outcome.ended(id(sequence), of: index)
        }
        session.cancel(sequence, into: &effects)
        perform()
    }
}

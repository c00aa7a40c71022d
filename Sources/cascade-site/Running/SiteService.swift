// SPDX-License-Identifier: Apache-2.0

import SystemdService
import ZeroMQ

/// The notifications to the service manager: readiness, the status, and the watchdog, which the event loop
/// itself sends.
struct SiteService {
    private let notifier: ServiceNotifier?
    private let watchdogInterval: Duration?
    private var nextWatchdog = Duration.zero
    private var status = ""
    private var isReady = false

    init() {
        notifier = ServiceNotifier.fromEnvironment()
        watchdogInterval = WatchdogPeriod.halfFromEnvironment().map { .nanoseconds(Int64($0)) }
    }

    /// When the next notification is due.
    var deadline: Duration? {
        notifier == nil || watchdogInterval == nil ? nil : nextWatchdog
    }

    mutating func timePassed(at now: Duration) {
        guard let notifier, let watchdogInterval, nextWatchdog <= now else {
            return
        }
        notifier.send(["WATCHDOG=1"], waiting: false)
        nextWatchdog = now + watchdogInterval
    }

    /// Sends the status if it has changed.
    mutating func publish(_ line: String) {
        guard line != status, let notifier else {
            return
        }
        if notifier.send([ServiceNotifier.status(line)], waiting: false) {
            status = line
        }
    }

    /// Sends readiness once.
    mutating func sendReady() {
        if !isReady {
            isReady = true
            notifier?.send(["READY=1"])
        }
    }

    /// Notifies the start of a reload; ``reloaded()`` notifies its end.
    func reloading() {
        notifier?.send(["RELOADING=1", "MONOTONIC_USEC=\(MonotonicClock.now() / 1_000)"])
    }

    func reloaded() {
        notifier?.send(["READY=1"])
    }

    func stopping() {
        notifier?.send(["STOPPING=1", ServiceNotifier.status("leaving")])
    }
}

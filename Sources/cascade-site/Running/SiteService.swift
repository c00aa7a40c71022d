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
    private var isReloading = false

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

    /// Sends readiness once, and once more after each reload.
    mutating func sendReady() {
        if !isReady {
            isReady = true
            isReloading = false
            notifier?.send(["READY=1"])
        }
    }

    /// Notifies the start of a reload, whose end is the next readiness. Before the first readiness the
    /// service still starts, and nothing is sent.
    mutating func reloading() {
        if isReady {
            isReady = false
            isReloading = true
            notifier?.send(["RELOADING=1", "MONOTONIC_USEC=\(MonotonicClock.now() / 1_000)"])
        }
    }

    /// Ends a reload that leaves the site as ready as it was.
    mutating func reloaded() {
        if isReloading {
            sendReady()
        }
    }

    func stopping() {
        notifier?.send(["STOPPING=1", ServiceNotifier.status("leaving")])
    }
}

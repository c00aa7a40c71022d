// SPDX-License-Identifier: Apache-2.0

import SystemdService
import ZeroMQ

/// The daemon's life, in the service manager's words.
extension ServiceNotifier {
    /// Peers are served.
    func sendReady() {
        send(["READY=1"])
    }

    /// Files are read again; the end of it is another ``sendReady()``.
    func sendReloading() {
        send(["RELOADING=1", "MONOTONIC_USEC=\(MonotonicClock.now() / 1_000)"])
    }

    /// What is under way may take so long to end, and telling everybody a little longer.
    func sendStopping(milliseconds: UInt32) {
        let microseconds = (UInt64(milliseconds) + 5_000) * 1_000
        send([
            "STOPPING=1", "EXTEND_TIMEOUT_USEC=\(microseconds)",
            Self.status("stopping: what is under way may end"),
        ])
    }
}

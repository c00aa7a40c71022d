// SPDX-License-Identifier: Apache-2.0

import SystemdService
import ZeroMQ

/// The daemon's life, in the service manager's words.
extension ServiceNotifier {
    /// Peers are served. What is wrong all the same shows in the status.
    func sendReady(_ problem: String?) {
        send(["READY=1"] + (problem.map { [Self.status($0)] } ?? []))
    }

    /// Files are read again; the end of it is another ``sendReady(_:)``.
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

// SPDX-License-Identifier: Apache-2.0

import SystemdService
import ZeroMQ

/// The daemon's status notifications (sd_notify(3)).
extension ServiceNotifier {
    /// The daemon serves peers.
    func sendReady() {
        send(["READY=1"])
    }

    /// A reload has started; another ``sendReady()`` marks its end.
    func sendReloading() {
        send(["RELOADING=1", "MONOTONIC_USEC=\(MonotonicClock.now() / 1_000)"])
    }

    /// The daemon stops. Events being handled may take `milliseconds` to end; telling the peers
    /// takes a little longer.
    func sendStopping(milliseconds: UInt32) {
        let microseconds = (UInt64(milliseconds) + 5_000) * 1_000
        send([
            "STOPPING=1", "EXTEND_TIMEOUT_USEC=\(microseconds)",
            Self.status("stopping: waiting for events being handled"),
        ])
    }
}

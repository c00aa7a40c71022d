// SPDX-License-Identifier: Apache-2.0

import SystemdService
import ZeroMQ

/// The sockets, state and notification socket that the service manager passed to this process;
/// empty without a service manager.
struct ServiceEnvironment: Sendable {
    let notifier: ServiceNotifier?
    /// The interval of watchdog notifications, in nanoseconds; `nil` for none.
    let watchdogNanoseconds: UInt64?
    let sockets: [InheritedSocket]
    /// The descriptor of the handover that the previous daemon stored.
    let state: Int32?

    /// The name of the handover in the descriptor store.
    static let stateName = "state"

    /// Takes over the descriptors and variables. Must be called once: the descriptors have one
    /// owner.
    static func fromEnvironment() -> ServiceEnvironment {
        let descriptors = InheritedDescriptor.fromEnvironment()
        return ServiceEnvironment(
            notifier: ServiceNotifier.fromEnvironment(),
            watchdogNanoseconds: WatchdogPeriod.halfFromEnvironment(),
            sockets: descriptors.compactMap { descriptor in
                descriptor.listeningPath.map {
                    InheritedSocket(path: $0, name: descriptor.name, number: descriptor.number)
                }
            },
            state: descriptors.first { $0.name == stateName }?.number)
    }

    /// The sockets that serve the bus. A socket unit without `FileDescriptorName=` passes its own
    /// name; its sockets serve the bus.
    var busSockets: [InheritedSocket] {
        let named = sockets.filter { $0.name == "bus" }
        return named.isEmpty ? sockets.filter { $0.name.hasSuffix(".socket") } : named
    }
}

/// A listening unix socket passed by the service manager; the kernel queues connections to it until
/// the daemon accepts them.
struct InheritedSocket: Sendable {
    let path: String
    let name: String
    let number: Int32

    /// The endpoint in ZeroMQ's notation.
    var endpoint: String {
        "ipc://\(path)"
    }
}

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

// SPDX-License-Identifier: Apache-2.0

import SystemdService

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

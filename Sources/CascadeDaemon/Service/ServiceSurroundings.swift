// SPDX-License-Identifier: Apache-2.0

import SystemdService

/// What the service manager has given this process: sockets that listen already, the memory of the
/// daemon before, and somebody to report to. Nothing of that where nobody manages it.
struct ServiceSurroundings: Sendable {
    let notifier: ServiceNotifier?
    /// How often a sign of life is due, in nanoseconds; `nil` for never.
    let watchdogNanoseconds: UInt64?
    let sockets: [InheritedSocket]
    /// The descriptor in which the daemon before left its state.
    let state: Int32?

    /// The name under which the state is kept.
    static let stateName = "state"

    /// To be called once: the descriptors have one owner.
    static func fromEnvironment() -> ServiceSurroundings {
        let descriptors = InheritedDescriptor.fromEnvironment()
        return ServiceSurroundings(
            notifier: ServiceNotifier.fromEnvironment(),
            watchdogNanoseconds: WatchdogPeriod.halfFromEnvironment(),
            sockets: descriptors.compactMap { descriptor in
                descriptor.listeningPath.map {
                    InheritedSocket(path: $0, name: descriptor.name, number: descriptor.number)
                }
            },
            state: descriptors.first { $0.name == stateName }?.number)
    }

    /// Those that are for the bus. A socket unit that names none has one, and that is it.
    var busSockets: [InheritedSocket] {
        let named = sockets.filter { $0.name == "bus" }
        return named.isEmpty ? sockets.filter { $0.name.hasSuffix(".socket") } : named
    }
}

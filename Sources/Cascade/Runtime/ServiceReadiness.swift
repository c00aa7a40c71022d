// SPDX-License-Identifier: Apache-2.0

import SystemdService

/// The status notifications of a worker to the service manager, if there is one: attached, alive,
/// leaving.
package struct ServiceReadiness: Sendable {
    private let notifier = ServiceNotifier.fromEnvironment()
    private let signNanoseconds = WatchdogPeriod.halfFromEnvironment()

    package init() {}

    package func attached(_ paths: [NodePath]) {
        let places = paths.map(\.description).joined(separator: ", ")
        notifier?.send(["READY=1", ServiceNotifier.status("attached \(places)")])
    }

    package func leaving() {
        notifier?.send(["STOPPING=1", ServiceNotifier.status("leaving")])
    }

    /// Sends watchdog notifications until the task is cancelled. Each follows a round trip through
    /// the executor of the responders and the link's thread, as an answer to the bus's beat does.
    /// It needs no bus, so a worker may wait for one without limit.
    package func giveSigns(by link: Link) async {
        guard let notifier, let signNanoseconds else {
            return
        }
        while !Task.isCancelled {
            await link.comeRound()
            notifier.send(["WATCHDOG=1"], waiting: false)
            try? await Task.sleep(for: .nanoseconds(Int64(signNanoseconds)))
        }
    }
}

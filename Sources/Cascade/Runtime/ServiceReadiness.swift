// SPDX-License-Identifier: Apache-2.0

import SystemdService

/// Tells the service manager, where there is one, how a worker does: that it stands in the tree,
/// that it lives, that it leaves.
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

    /// Gives signs of life until it is cancelled. Each goes the way of an answer to the bus's beat,
    /// by the executor of the responders and by the link's thread; it needs no bus, though, so that
    /// a worker waits for one as long as it takes.
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

// SPDX-License-Identifier: Apache-2.0

import DequeModule
public import Logging

/// Shows alerts one after the other, in the order in which they came; what comes while one is shown
/// waits.
public actor AlertSink {
    private let show: @Sendable (Alert) async -> Void
    private var waiting: Deque<Alert> = []
    private let wakeUps = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// - Parameter show: shows an alert, and returns when it has been seen, or needs no more room.
    public init(show: @escaping @Sendable (Alert) async -> Void) {
        self.show = show
    }

    /// A sink that logs alerts, as warnings.
    public init(logger: Logger) {
        self.init { alert in
            logger.warning(
                "\(alert)", metadata: ["error": "\(alert.name)", "node": "\(alert.node ?? .root)"])
        }
    }

    /// Queues an alert.
    public func enqueue(_ alert: Alert) {
        waiting.append(alert)
        wakeUps.continuation.yield()
    }

    /// Shows what comes until the task is cancelled, and then what is still there.
    func run() async {
        await showWaiting()
        for await _ in wakeUps.stream {
            await showWaiting()
        }
        await showWaiting()
    }

    private func showWaiting() async {
        while !waiting.isEmpty {
            await show(waiting.removeFirst())
        }
    }
}

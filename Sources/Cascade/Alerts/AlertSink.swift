// SPDX-License-Identifier: Apache-2.0

import DequeModule
public import Logging

/// A queue that shows alerts one at a time, in the order of their arrival.
public actor AlertSink {
    private let show: @Sendable (Alert) async -> Void
    private var waiting: Deque<Alert> = []
    private let wakeUps = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Creates a sink.
    ///
    /// - Parameter show: Shows one alert. The next alert is shown after this closure returns.
    public init(show: @escaping @Sendable (Alert) async -> Void) {
        self.show = show
    }

    /// Creates a sink that logs each alert at level `warning`.
    public init(logger: Logger) {
        self.init { alert in
            logger.warning(
                "\(alert)", metadata: ["error": "\(alert.name)", "node": "\(alert.node ?? .root)"])
        }
    }

    /// Adds an alert to the end of the queue.
    public func enqueue(_ alert: Alert) {
        waiting.append(alert)
        wakeUps.continuation.yield()
    }

    /// Shows alerts until the task is cancelled, and then those that are still in the queue.
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

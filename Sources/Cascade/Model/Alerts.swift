// SPDX-License-Identifier: Apache-2.0

import DequeModule
public import Logging

/// An error with a title and a message for people. A node with ``NodeConvertible/handleAlertErrors(_:)``
/// shows them.
public protocol AlertableError: Error {
    /// The title shown above the message; `Error` by default.
    var title: String { get }
    /// The message for people.
    var message: String { get }
}

extension AlertableError {
    /// The word `Error`.
    public var title: String {
        "Error"
    }
}

extension NodeConvertible {
    /// Handles each alertable error (see ``AlertableError``) by showing it. Other errors go on to
    /// the next responder.
    ///
    /// - Parameter sink: The sink that shows the alerts, for this node only. With `nil`, alerts are
    ///   logged by the program's `LoggingSystem`.
    public func handleAlertErrors(_ sink: AlertSink? = nil) -> Node {
        let sink = sink ?? AlertSink(logger: Logger(label: node.name))
        return receiveError { error in
            guard let alert = Alert(error) else {
                return .notHandled
            }
            await sink.enqueue(alert)
            return .handled
        }
        .task { await sink.run() }
    }
}

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

/// The title and message of an error, as an ``AlertSink`` shows them.
public struct Alert: Hashable, Sendable, CustomStringConvertible {
    public let title: String
    public let message: String
    /// The name of the error.
    public let name: EventName
    /// The node where the error began.
    public let node: NodePath?

    /// Returns `nil` if the error has no title, and therefore is not alertable.
    public init?(_ error: AnyError) {
        guard let title = error.title else {
            return nil
        }
        self.title = title
        message = error.message ?? ""
        name = error.name
        node = error.node
    }

    /// The alert in one line, with control characters escaped for terminals.
    public var description: String {
        "\(title): \(message)".safeForTerminal
    }
}

// SPDX-License-Identifier: Apache-2.0

import Logging

extension Node {
    /// Handles each alertable error (see ``AlertableError``) by showing it. Other errors go on to
    /// the next responder.
    ///
    /// - Parameter sink: The sink that shows the alerts, for this node only. With `nil`, alerts are
    ///   logged to standard error.
    public func handleAlertErrors(_ sink: AlertSink? = nil) -> Node {
        let sink = sink ?? AlertSink(logger: .alerts(of: name))
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

extension Logger {
    fileprivate static func alerts(of node: String) -> Logger {
        var logger = Logger(label: node)
        logger.handler = StreamLogHandler.standardError(label: node)
        return logger
    }
}

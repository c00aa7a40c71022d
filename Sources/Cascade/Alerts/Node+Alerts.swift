// SPDX-License-Identifier: Apache-2.0

import Logging

extension Node {
    /// Handles errors that have words for people, see ``AlertableError``, by showing them. Other
    /// errors go on.
    ///
    /// - Parameter sink: shows them; logged to standard error unless said otherwise. A sink serves
    ///   one node.
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

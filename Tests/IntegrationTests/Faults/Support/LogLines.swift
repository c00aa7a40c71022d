// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// The log of a worker, in memory.
final class LogLines: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] {
        lines.withLock { $0 }
    }

    func append(_ line: String) {
        lines.withLock { $0.append(line) }
    }

    func log(event: LogEvent) {
        append("\(event.level): \(event.message)")
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
}

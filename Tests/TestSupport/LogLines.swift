// SPDX-License-Identifier: Apache-2.0

package import Logging
import Synchronization

/// A log in memory, and lines that a test writes between its messages.
package final class LogLines: LogHandler, Sendable {
    private let entries = Mutex<[(line: String, metadata: Logger.Metadata)]>([])

    package init() {}

    /// The lines: of a message, its level and its text.
    package var all: [String] {
        entries.withLock { $0.map(\.line) }
    }

    /// The value of a member of each line's metadata.
    package func values(of key: String) -> [String?] {
        entries.withLock { $0.map { $0.metadata[key].map { "\($0)" } } }
    }

    package func append(_ line: String) {
        entries.withLock { $0.append((line, [:])) }
    }

    package func log(event: LogEvent) {
        entries.withLock { $0.append(("\(event.level): \(event.message)", event.metadata ?? [:])) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    package var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    package var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Logging

/// One message of the log, before it is known how it is written.
package struct LogRecord: Equatable, Sendable {
    package var level: Logger.Level
    package var kind: LogKind
    package var sentence: String
    package var fields: [LogField: String]

    package init(
        _ level: Logger.Level, _ kind: LogKind, _ sentence: String,
        _ fields: [LogField: String] = [:]
    ) {
        self.level = level
        self.kind = kind
        self.sentence = sentence
        self.fields = fields
    }
}

extension Logger {
    package func log(_ record: LogRecord) {
        guard logLevel <= record.level else {
            return
        }
        var metadata: Logger.Metadata = [
            LogField.messageID.rawValue: .string(record.kind.messageID)
        ]
        for (field, value) in record.fields {
            metadata[field.rawValue] = .string(value)
        }
        log(level: record.level, "\(record.sentence)", metadata: metadata)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeService
package import Logging

/// One message of the log, before it is known how it is written.
package struct LogRecord: Equatable, Sendable {
    package var level: Logger.Level
    package var kind: LogKind
    package var sentence: String
    package var fields: [LogField: String]
    /// The user whose rate limit applies, unless it is that of the process in the fields.
    package var userID: UInt32?

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

extension LogRecord {
    private static let sentenceByteCountMax = 1_024
    private static let fieldByteCountMax = 512

    /// The record with no more of each text than a person reads. Peers choose paths and cause
    /// sentences of tens of kilobytes, as often as they like.
    package var shortened: LogRecord {
        var record = self
        record.sentence = sentence.shortened(to: Self.sentenceByteCountMax)
        record.fields = fields.mapValues { $0.shortened(to: Self.fieldByteCountMax) }
        return record
    }
}

extension String {
    /// The beginning and the end, with the number of bytes that are left out between them.
    fileprivate func shortened(to byteCountMax: Int) -> String {
        guard utf8.count > byteCountMax else {
            return self
        }
        let head = String(decoding: utf8.prefix(byteCountMax / 2), as: UTF8.self)
        let tail = String(decoding: utf8.suffix(byteCountMax / 4), as: UTF8.self)
        let rest = utf8.count - byteCountMax / 2 - byteCountMax / 4
        return "\(head)…[\(rest) bytes]…\(tail)"
    }
}

extension Logger {
    package func log(_ record: LogRecord) {
        guard logLevel <= record.level else {
            return
        }
        var metadata: Logger.Metadata = [
            JournalRecord.messageID: .string(record.kind.messageID)
        ]
        for (field, value) in record.fields {
            metadata[field.rawValue] = .string(value)
        }
        log(level: record.level, "\(record.sentence)", metadata: metadata)
    }
}

/// A fact of a message that programs can search the journal by.
package enum LogField: String, CaseIterable, Sendable {
    /// The process that a message is about, which the journal looks up.
    case objectProcess = "OBJECT_PID"
    case node = "CASCADE_NODE"
    case peerProcess = "CASCADE_PEER_PID"
    case peerUnit = "CASCADE_PEER_UNIT"
    /// The name of an event, or of a key.
    case event = "CASCADE_EVENT"
    case eventID = "CASCADE_EVENT_ID"
    case outcome = "CASCADE_OUTCOME"
    /// A rule of a policy or of the environment, as its file and line.
    case rule = "CASCADE_RULE"
    /// The limit that was exceeded, its use, and its value.
    case quota = "CASCADE_QUOTA"
    case used = "CASCADE_USED"
    case limit = "CASCADE_LIMIT"
    /// The protocol's name for what went wrong.
    case error = "CASCADE_ERROR"
    /// A setting of the configuration.
    case setting = "CASCADE_SETTING"
    /// How many messages were left out.
    case count = "CASCADE_COUNT"
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
package import Logging
import Synchronization
import ZeroMQ

/// Writes the messages of a service to where they are read: the journal, a terminal, a file.
package struct ServiceLogHandler: LogHandler {
    private enum Destination: Sendable {
        case journal(JournalSocket)
        case text(isTerminal: Bool)
        case prefixed
    }

    package var metadata: Logger.Metadata = [:]
    private let destination: Destination
    private let level: LogLevel
    private let program: String

    /// - Parameters:
    ///   - format: how the messages are written. Without a journal, systemd still reads standard error
    ///     and the priorities in it.
    ///   - level: the lowest level of the messages that are written.
    ///   - program: the name of the program in the log.
    package init(_ format: LogFormat, level: LogLevel, program: String) {
        self.level = level
        self.program = program
        let stream = getenv("JOURNAL_STREAM").map { String(cString: $0) }
        switch format.resolved(journalStream: stream) {
        case .journal: destination = JournalSocket().map { .journal($0) } ?? .prefixed
        case .prefixed: destination = .prefixed
        case .auto, .text: destination = .text(isTerminal: isatty(STDERR_FILENO) == 1)
        }
    }

    /// All of a process's loggers have the same level.
    package var logLevel: Logger.Level {
        get { level.current }
        set { level.current = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let message = event.message.description
        switch destination {
        case .journal(let socket):
            socket.send(Self.record(event.level, message, merged(event.metadata), of: program))
        case .prefixed:
            for line in message.split(separator: "\n") {
                Self.write("<\(event.level.priority)>\(String(line).safeForTerminal)\n")
            }
        case .text(let isTerminal):
            Self.write(line(event.level, message, isTerminal: isTerminal))
        }
    }

    private func merged(_ own: Logger.Metadata?) -> Logger.Metadata {
        metadata.merging(own ?? [:]) { _, own in own }
    }

    /// The message with its fields, as the journal takes it.
    package static func record(
        _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata,
        of program: String
    ) -> JournalRecord {
        var record = JournalRecord()
        record.append("MESSAGE", message)
        record.append("PRIORITY", "\(level.priority)")
        record.append("SYSLOG_IDENTIFIER", program)
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            record.append(name, "\(value)")
        }
        return record
    }

    // MARK: - Text

    private func line(
        _ level: Logger.Level, _ message: String, isTerminal: Bool
    ) -> String {
        let time = Self.time(isShort: isTerminal)
        let text = message.split(separator: "\n").joined(separator: "; ").safeForTerminal
        guard isTerminal else {
            return "\(time) \(level) \(program): \(text)\n"
        }
        return level <= .info ? "\(time) \(text)\n" : "\(time) \(level): \(text)\n"
    }

    /// On a terminal the time of the day, elsewhere that of the year too.
    private static func time(isShort: Bool) -> String {
        let now = RealtimeClock.now()
        guard isShort else {
            return Timestamp(microseconds: Int64(now / 1_000)).description
        }
        var seconds = time_t(now / 1_000_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// In one call, so that lines of several threads stay whole.
    private static func write(_ line: String) {
        var line = line
        _ = line.withUTF8 { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

extension Logger.Level {
    /// As syslog numbers them.
    package var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

/// How a service writes its log.
package enum LogFormat: String, CaseIterable, Sendable {
    /// As whatever standard error is connected to wants it.
    case auto
    /// To systemd's journal, with all fields.
    case journal
    /// For people, with the time.
    case text
    /// With the priority in front, `<4>`, as systemd reads what its services write.
    case prefixed

    /// Resolves `auto`: the journal if standard error leads there, otherwise text.
    ///
    /// - Parameter journalStream: systemd's `JOURNAL_STREAM`, the device and inode of the stream
    ///   that leads to the journal. A service whose standard error was redirected has another one.
    package func resolved(journalStream: String?) -> LogFormat {
        guard self == .auto else {
            return self
        }
        var status = stat()
        guard let journalStream, fstat(STDERR_FILENO, &status) == 0,
            journalStream == "\(status.st_dev):\(status.st_ino)"
        else {
            return .text
        }
        return .journal
    }
}

/// From which level on a service logs; one for all its loggers, so that a reload changes it in
/// all of them.
package final class LogLevel: Sendable {
    package static let standard = Logger.Level.info.rawValue
    package static let names = Logger.Level.allCases.map(\.rawValue)

    private let index: Atomic<Int>

    package init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    package var current: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}

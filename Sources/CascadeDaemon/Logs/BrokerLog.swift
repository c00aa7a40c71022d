// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal
import CascadeWire
import Logging
import ZeroMQ

/// The log of the broker: a bounded number of records of each kind and user per second.
struct BrokerLog {
    private let logger: Logger
    private var limit = RateLimit()
    /// A process with at least one connection.
    private struct Process {
        let userID: UInt32
        /// The unit of systemd that the process belongs to; empty without one.
        let unit: String
        var peerCount: Int
    }

    private var processes: [UInt32: Process] = [:]
    /// The processes of the peers.
    private var processIDs: [PeerID: UInt32] = [:]

    init(_ logger: Logger) {
        self.logger = logger
    }

    mutating func write(_ entry: LogEntry, at now: Instant) {
        write(LogRecord(entry), at: now)
    }

    mutating func write(_ record: LogRecord, at now: Instant) {
        guard logger.logLevel <= record.level else {
            return
        }
        let process = record.fields[.peerProcess].flatMap { UInt32($0) }.flatMap { processes[$0] }
        let subject = RateLimit.Subject(record.kind, of: record.userID ?? process?.userID)
        guard limit.admits(subject, at: now) else {
            return
        }
        var record = record.shortened
        if let processID = record.fields[.peerProcess] {
            record.fields[.objectProcess] = processID
            if let process, !process.unit.isEmpty {
                record.fields[.peerUnit] = process.unit
            }
        }
        logger.log(record)
    }

    // MARK: - Messages left out

    /// When the next summary of messages left out is written.
    var nextSummary: Instant? {
        limit.nextSummary
    }

    mutating func summarize(at now: Instant) {
        for summary in limit.summaries(at: now) {
            write(summary)
        }
    }

    /// Nothing more will be written.
    mutating func close() {
        for summary in limit.remainingSummaries() {
            write(summary)
        }
    }

    private func write(_ summary: RateLimit.Summary) {
        let user = summary.subject.userID.map { " of user \($0)" } ?? ""
        let phrase = summary.subject.kind.phrase
        logger.log(
            LogRecord(
                .warning, .leftOut,
                "\(summary.count) more messages about \(phrase)\(user) were left out",
                [.count: "\(summary.count)"]))
    }

    // MARK: - Peers

    mutating func connected(_ peer: PeerID, _ credentials: Credentials) {
        let processID = credentials.processID
        guard processID > 0 else {
            return
        }
        // An earlier process of another unit may have had the number.
        processIDs[peer] = processID
        processes[processID] = Process(
            userID: credentials.userID, unit: credentials.unit,
            peerCount: (processes[processID]?.peerCount ?? 0) + 1)
    }

    mutating func forget(_ peer: PeerID) {
        guard let processID = processIDs.removeValue(forKey: peer) else {
            return
        }
        processes[processID]?.peerCount -= 1
        if processes[processID]?.peerCount == 0 {
            processes[processID] = nil
        }
    }

    /// Reports the state of the journal when it was opened.
    func opened(_ report: JournalReport) {
        if report.droppedByteCount > 0 {
            logger.log(
                LogRecord(
                    .warning, .journalTail,
                    """
                    the journal's tail was not written whole: \(report.droppedByteCount) bytes are \
                    dropped
                    """))
        }
    }

    func stateLost(_ sentence: String) {
        logger.log(LogRecord(.error, .stateLost, sentence))
    }

    func cannotWatchAny() {
        logger.log(
            LogRecord(
                .warning, .unwatched,
                """
                this system does not tell when a process ends (pidfd_open): the ends of processes \
                show by their connections and by missing beats alone
                """))
    }

    mutating func doesNotRead(
        _ peer: PeerID, _ processID: UInt32?, _ excess: BrokerShell.Excess, _ byteCount: Int,
        _ limits: Limits, at now: Instant
    ) {
        let who = processID.map { "process \($0)" } ?? "peer \(peer.index)"
        let reason =
            switch excess {
            case .peer: "more than \(limits.unreadBytes) bytes (limit unreadBytes)"
            case .user:
                "its user's peers together have more than \(limits.bytesPerUser) bytes (limit "
                    + "bytesPerUser), and it has the most"
            case .total:
                "all peers together have more than \(limits.waitingBytes) bytes (limit "
                    + "waitingBytes), and it has the most"
            }
        write(
            LogRecord(
                .warning, .slow,
                "\(who) does not read what it is sent; its session ends: \(byteCount) bytes wait, "
                    + reason,
                processID.map { [.peerProcess: "\($0)"] } ?? [:]), at: now)
    }

    mutating func failed(_ error: ZeroMQError, at now: Instant) {
        write(LogRecord(.error, .failed, "\(error)"), at: now)
    }
}

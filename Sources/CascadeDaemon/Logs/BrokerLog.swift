// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal
import CascadeWire
import Logging
import ZeroMQ

/// The log of the broker: a bounded number of records of each kind per second.
struct BrokerLog {
    private let logger: Logger
    private var limit = RateLimit()
    /// Of the processes that are connected, those that belong to units of systemd.
    private var units: [UInt32: (name: String, peerCount: Int)] = [:]
    /// The processes of the peers that belong to units.
    private var processes: [PeerID: UInt32] = [:]

    init(_ logger: Logger) {
        self.logger = logger
    }

    mutating func write(_ entry: LogEntry, at now: Instant) {
        write(LogRecord(entry), at: now)
    }

    mutating func write(_ record: LogRecord, at now: Instant) {
        guard logger.logLevel <= record.level, limit.admits(record.kind, at: now) else {
            return
        }
        var record = record.shortened
        if let process = record.fields[.peerProcess] {
            record.fields[.objectProcess] = process
            record.fields[.peerUnit] = UInt32(process).flatMap { units[$0]?.name }
        }
        logger.log(record)
    }

    // MARK: - What was left out

    /// When something is to be said of what was left out.
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
        logger.log(
            LogRecord(
                .warning, .leftOut,
                "\(summary.count) more messages about \(summary.kind.phrase) were left out",
                [.count: "\(summary.count)"]))
    }

    // MARK: - Peers

    mutating func connected(_ peer: PeerID, _ credentials: Credentials) {
        let processID = credentials.processID
        guard !credentials.unit.isEmpty else {
            // An earlier process of another unit may have had the number.
            units[processID] = nil
            return
        }
        processes[peer] = processID
        units[processID] = (credentials.unit, (units[processID]?.peerCount ?? 0) + 1)
    }

    mutating func forget(_ peer: PeerID) {
        guard let processID = processes.removeValue(forKey: peer),
            let (name, peerCount) = units[processID]
        else {
            return
        }
        units[processID] = peerCount > 1 ? (name, peerCount - 1) : nil
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

    func cannotKeepState() {
        logger.log(
            LogRecord(
                .error, .stateLost,
                "cannot allocate memory for the handover; the next daemon starts without places and values"
            ))
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

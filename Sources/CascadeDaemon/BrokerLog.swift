// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Logging
import ZeroMQ

/// Says in the log what an administrator is to know.
struct BrokerLog {
    private let logger: Logger
    private var limit = RateLimit()

    init(_ logger: Logger) {
        self.logger = logger
    }

    mutating func write(_ entry: LogEntry, at now: Instant) {
        if entry.isCausedByMisbehaviour {
            let (isAdmitted, suppressed) = limit.admit(at: now)
            guard isAdmitted else {
                return
            }
            if suppressed > 0 {
                logger.warning("\(suppressed) lines about peers' faults were left out")
            }
        }
        switch entry {
        case .undeclared(let path, let name):
            logger.warning("\(name) passed \(path), and is declared neither there nor below")
        case .unhandled(let path, let name):
            logger.warning("\(path) declares \(name), and no responder above it is for that name")
        case .cycle(let cycle):
            logger.warning("rules need one another, so these keys have no value: \(cycle)")
        case .rulesLoaded(let ruleCount, let fileCount):
            logger.info("rules loaded: \(ruleCount) (files: \(fileCount))")
        case .rulesRefused(let sentence):
            logger.error("\(sentence); the rules before stay")
        case .moved(let path, let destination):
            logger.info("\(path) is at \(destination) now")
        case .detached(let path, let reason):
            logger.info("\(path) was told to stop (\(reason))")
        case .attached(let path, let processID):
            logger.info("\(path) attached by process \(processID)")
        case .left(let path):
            logger.info("\(path) left")
        case .lost(let path, let processID):
            logger.warning("\(path) lost: process \(processID) has gone")
        case .gone(let path):
            logger.info("\(path) gone: its grace time has passed")
        case .quarantined(let id, let name):
            logger.error(
                "\(name) \(id) is in quarantine: several sessions died while they worked on it")
        case .unresponsive(let processID):
            logger.warning("process \(processID) has missed three beats and is unresponsive")
        case .responsive(let processID):
            logger.info("process \(processID) responds again")
        case .violation(let processID, let code, let sentence):
            logger.warning("session of process \(processID) ended: \(sentence) (\(code))")
        case .refused(let processID, let code, let sentence):
            logger.notice("process \(processID) refused: \(sentence) (\(code))")
        }
    }

    func cannotWatchAny() {
        logger.warning(
            """
            this system does not tell when a process ends (pidfd_open): the ends of processes show \
            by their connections and by missing beats alone
            """)
    }

    func doesNotRead(_ peer: PeerID) {
        logger.warning("peer \(peer.index) does not read what it is sent; its session ends")
    }

    func failed(_ error: ZeroMQError) {
        logger.error("\(error)")
    }
}

extension LogEntry {
    /// Whether a peer can bring this about as often as it likes.
    fileprivate var isCausedByMisbehaviour: Bool {
        switch self {
        case .violation, .refused: true
        case .attached, .left, .lost, .gone, .unresponsive, .responsive, .detached, .moved,
            .undeclared, .unhandled, .cycle, .rulesLoaded, .rulesRefused, .quarantined:
            false
        }
    }
}

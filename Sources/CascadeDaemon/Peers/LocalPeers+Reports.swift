// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Glibc
import LocalTransport
import Logging
import ZMTP

/// Reports of local peers for the log: connections that ended, and sockets that nothing reaches.
extension LocalPeers {
    mutating func takeReports() -> [LogRecord] {
        guard !reports.isEmpty else {
            return []
        }
        defer { reports = [] }
        return reports
    }

    mutating func report(_ reason: DisconnectReason, of credentials: PeerCredentials) {
        guard reason != .closedByPeer else {
            return
        }
        report(
            .violation, credentials,
            "the connection of \(credentials.description) was closed: \(reason)")
    }

    mutating func report(_ reason: RefusalReason, of credentials: PeerCredentials) {
        switch reason {
        case .limit(let limit):
            report(
                .crowded, credentials,
                "a connection of \(credentials.description) was refused: \(limit)")
        case .ended(.fault(let fault)) where fault.isProbe:
            break
        case .ended, .replaced:
            report(
                .silent, credentials,
                "a connection of \(credentials.description) ended without a message: \(reason)")
        }
    }

    mutating func report(unknownCommand name: String, of credentials: PeerCredentials) {
        report(
            .violation, credentials,
            """
            \(credentials.description) sends commands that ZMTP does not define, '\(name)' first; they \
            have no effect
            """)
    }

    mutating func report(unwrittenByteCount byteCount: Int, of credentials: PeerCredentials) {
        report(
            .slow, credentials,
            """
            \(byteCount) bytes for \(credentials.description) were dropped: it has not read them since \
            the daemon closed its connection
            """)
    }

    /// Reports, once, a listening socket that new peers can no longer reach.
    mutating func lookAtFiles() {
        let states = transport.listeners.map(\.fileState)
        for (index, listener) in transport.listeners.enumerated() where states[index] != .present {
            guard index >= fileStates.count || fileStates[index] == .present else {
                continue
            }
            let change = states[index] == .removed ? "was removed" : "was replaced"
            reports.append(
                LogRecord(
                    .error, .unreachableSocket,
                    """
                    the socket's file \(listener.path ?? "") \(change): no new process reaches the \
                    bus, while connected ones are served; restart the daemon
                    """))
        }
        fileStates = states
    }

    mutating func reportExhaustion() {
        reports.append(
            LogRecord(
                .warning, .fewDescriptors,
                """
                the daemon has no descriptor left for a new connection, which was closed; raise \
                LimitNOFILE= in the unit or 'ulimit -n' in the shell
                """))
    }

    mutating func report(_ error: SystemError) {
        reports.append(
            LogRecord(
                .error, .unreachableSocket,
                """
                \(error); no new process reaches the bus, while connected ones are served and the \
                daemon tries again ten times a second
                """))
    }

    mutating func report(endedListener path: String?) {
        reports.append(
            LogRecord(
                .error, .unreachableSocket,
                """
                another process has shut down the listening socket \(path ?? ""): no new process \
                reaches the bus, while connected ones are served; restart the daemon and its socket unit
                """))
    }

    private mutating func report(
        _ kind: LogKind, _ credentials: PeerCredentials, _ sentence: String
    ) {
        var record = LogRecord(.warning, kind, sentence)
        record.userID = credentials.userID
        if credentials.processID != 0 {
            record.fields[.peerProcess] = "\(credentials.processID)"
        }
        reports.append(record)
    }
}

extension Fault {
    /// Whether the peer only looked whether the daemon listens.
    fileprivate var isProbe: Bool {
        reason == .unexpectedEnd && offset == 0
    }
}

extension PeerCredentials {
    fileprivate var description: String {
        "process \(processID) of user \(userID)"
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// Decides at each handshake whether a peer is admitted (ZAP, ZeroMQ's RFC 27).
///
/// The daemon's socket has a domain and requires an answer: libzmq refuses protocols older than
/// ZMTP 3, and admits no peer while the authenticator is closed. Identity and metadata that a peer
/// sends are ignored. A peer that proves to have an authorized key is known by the name of the key.
struct Authenticator: ~Copyable {
    static let domain = "cascade"
    /// libzmq's fixed endpoint for requests.
    private static let endpoint = "inproc://zeromq.zap.01"

    /// The authorized keys.
    var keys: AuthorizedKeys
    private let socket: Socket
    private let activity: ConnectionActivity
    private var frame = Message()

    init(
        in context: Context, admitting keys: AuthorizedKeys, _ activity: ConnectionActivity
    ) throws(ZeroMQError) {
        self.keys = keys
        self.activity = activity
        let socket = try Socket(.router, in: context)
        try socket.set(.linger, 0)
        // A dropped request would leave its peer waiting.
        try socket.set(.receiveHighWaterMark, 0)
        try socket.set(.sendHighWaterMark, 0)
        try socket.bind(Self.endpoint)
        self.socket = socket
    }

    var pollItem: PollItem {
        .socket(socket)
    }

    /// Answers all pending requests.
    mutating func answer() throws(ZeroMQError) {
        while let question = try nextQuestion() {
            try answer(question)
        }
    }

    /// The frames of one request: the asking session's routing ID, an empty frame, version, request
    /// ID, domain, address, routing ID, mechanism, and the mechanism's credentials.
    private mutating func nextQuestion() throws(ZeroMQError) -> [[UInt8]]? {
        guard try socket.receive(into: &frame) else {
            return nil
        }
        var frames = [Array(frame.bytes)]
        while frame.hasMore, try socket.receive(into: &frame) {
            frames.append(Array(frame.bytes))
        }
        return frames
    }

    private func answer(_ question: [[UInt8]]) throws(ZeroMQError) {
        guard question.count >= 8 else {
            return
        }
        let verdict = verdict(on: question)
        if verdict.status == "200" {
            activity.countAdmission()
        }
        let answer = [
            question[0], [], question[2], question[3], Array(verdict.status.utf8),
            Array(verdict.reason.utf8), Array(verdict.userID.utf8), [],
        ]
        for (place, bytes) in answer.enumerated() {
            var message = Message(byteCount: bytes.count)
            message.mutableBytes.copyBytes(from: bytes)
            // The asking session may have ended; it needs no answer then.
            guard try socket.send(&message, more: place < answer.count - 1) == .sent else {
                return
            }
        }
    }

    private func verdict(
        on question: [[UInt8]]
    ) -> (status: String, reason: String, userID: String) {
        guard question[4] == Array(Self.domain.utf8) else {
            return ("400", "no such domain", "")
        }
        guard question[7] == Array("CURVE".utf8) else {
            return ("200", "", "")
        }
        guard question.count == 9, let key = keys.owner(of: question[8]) else {
            return ("400", "the key is not authorized", "")
        }
        return ("200", "", key.userID)
    }
}

extension Credentials {
    /// The credentials of a connection's peer, from libzmq's properties and the kernel's facts of
    /// the descriptor.
    ///
    /// - Parameters:
    ///   - peerAddress: `localhost:UID:GID:PID` over ipc, as the kernel reports it; the peer's
    ///     address elsewhere, which does not identify it.
    ///   - userID: the authenticator's property. A peer can send one itself, so it counts only with
    ///     the authenticator's mark.
    init(peerAddress: String?, userID: String?, descriptor: Int32?) {
        self.init(processID: 0, userID: Self.unknown, groupID: Self.unknown)
        key = userID.flatMap { AdmittedKey(userID: $0) }?.name
        let parts = (peerAddress ?? "").split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "localhost", let userID = UInt32(parts[1]),
            let groupID = UInt32(parts[2]), let processID = UInt32(parts[3])
        else {
            return
        }
        let process = descriptor.flatMap {
            PeerProcess(processID: processID, descriptor: $0, acceptTime: nil)
        }
        self.init(
            processID: processID, userID: userID, groupID: groupID, groups: process?.groups ?? [],
            unit: process?.unit ?? "")
    }
}

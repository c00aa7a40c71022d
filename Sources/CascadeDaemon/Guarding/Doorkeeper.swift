// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import ZeroMQ

/// Says at each handshake whether a peer is let in (ZAP, ZeroMQ's RFC 27).
///
/// The daemon's socket has a domain and insists on an answer: so whoever speaks a protocol before
/// ZMTP 3, or none, is turned away by libzmq itself, and nobody gets in while this one is not
/// there. Identity and metadata that a peer sends about itself are not looked at. Who proves to
/// have a key gets in if the key is authorized, and is known by its name from then on.
struct Doorkeeper: ~Copyable {
    static let domain = "cascade"
    /// Where libzmq asks, by its definition.
    private static let endpoint = "inproc://zeromq.zap.01"

    /// The keys that may come in.
    var keys: AuthorizedKeys
    private let socket: Socket
    private let heard: HeardConnections
    private var frame = Message()

    init(
        in context: Context, admitting keys: AuthorizedKeys, _ heard: HeardConnections
    ) throws(ZeroMQError) {
        self.keys = keys
        self.heard = heard
        let socket = try Socket(.router, in: context)
        try socket.set(.linger, 0)
        // A question that is dropped would leave its peer waiting.
        try socket.set(.receiveHighWaterMark, 0)
        try socket.set(.sendHighWaterMark, 0)
        try socket.bind(Self.endpoint)
        self.socket = socket
    }

    var pollItem: PollItem {
        .socket(socket)
    }

    /// Answers what has been asked.
    mutating func answer() throws(ZeroMQError) {
        while let question = try nextQuestion() {
            try answer(question)
        }
    }

    /// The frames of one question: the asking session's name, an empty one, version, request,
    /// domain, address, routing ID, mechanism, and what the mechanism adds.
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
            heard.noteAdmission()
        }
        let answer = [
            question[0], [], question[2], question[3], Array(verdict.status.utf8),
            Array(verdict.reason.utf8), Array(verdict.userID.utf8), [],
        ]
        for (place, bytes) in answer.enumerated() {
            var message = Message(byteCount: bytes.count)
            message.mutableBytes.copyBytes(from: bytes)
            // The session that asked may have gone; then the answer is not needed.
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

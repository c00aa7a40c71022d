// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing
import ZeroMQ

/// A peer that sends any bytes a test wants, valid or not.
@FaultThread
final class RawPeer {
    /// One message from the daemon.
    struct Answer {
        var header: Header
        var bytes: [UInt8]

        func read<Message: WireMessage>(_ type: Message.Type = Message.self) throws -> Message {
            try Message(parsing: bytes)
        }
    }

    static let context = {
        do throws(ZeroMQError) {
            return try Context(maxSockets: 4096)
        } catch {
            preconditionFailure("the tests' peers cannot talk: \(error)")
        }
    }()

    private let socket: Socket
    private var frame = Message()
    private var lastRequest: UInt64 = 0
    private var lastEmitted: UInt64 = 0

    init(_ endpoint: String) throws {
        socket = try Socket(.dealer, in: Self.context)
        try socket.set(.linger, 0)
        try socket.set(.sendHighWaterMark, 0)
        try socket.set(.receiveHighWaterMark, 0)
        try socket.connect(endpoint)
    }

    /// Connects a peer and waits until it is welcomed.
    static func greeted(_ endpoint: String, session: SessionID = .random()) throws -> RawPeer {
        let peer = try RawPeer(endpoint)
        try peer.greet(session)
        return peer
    }

    // MARK: - Sending

    /// Sends frames as one ZeroMQ message.
    func send(_ frames: [UInt8]...) throws {
        try send(frames: frames)
    }

    func send(frames: [[UInt8]]) throws {
        for (place, bytes) in frames.enumerated() {
            var message = Message(byteCount: bytes.count)
            message.mutableBytes.copyBytes(from: bytes)
            let result = try socket.send(&message, more: place < frames.count - 1)
            try #require(result == .sent)
        }
    }

    func send(_ message: some WireMessage) throws {
        try send(message.encoded())
    }

    func send(_ header: Header) throws {
        try send(header.encoded())
    }

    /// Sends a command with raw fields.
    func send(_ header: Header, fields: [UInt8]) throws {
        var header = header
        header.fieldsLength = UInt32(fields.count)
        try send(header.encoded() + fields)
    }

    // MARK: - Receiving

    /// Waits for the next message of the daemon other than beats and definitions.
    func next() throws -> Answer {
        let end = MonotonicClock.now() + UInt64(Patience.milliseconds) * 1_000_000
        while true {
            let bytes = try nextFrame(before: end)
            let header = try Header(parsing: bytes)
            if header.command != .beat, header.command != .define {
                return Answer(header: header, bytes: bytes)
            }
        }
    }

    /// Waits for the next message, which must be of this type.
    func next<Message: WireMessage>(_ type: Message.Type) throws -> Message {
        let answer = try next()
        try #require(
            answer.header.command == Message.command,
            "a '\(Message.command)' was due: \(answer.header) \(answer.words)")
        return try answer.read()
    }

    /// Waits for the next message that matches, and skips others.
    func first(where isWanted: (Answer) -> Bool) throws -> Answer {
        while true {
            let answer = try next()
            if isWanted(answer) {
                return answer
            }
        }
    }

    /// Waits for the next visit.
    func nextVisit() throws -> Header {
        let answer = try next()
        try #require(answer.header.command == .visit, "\(answer.header) \(answer.words)")
        return answer.header
    }

    private func nextFrame(before end: UInt64) throws -> [UInt8] {
        var poller = Poller()
        poller.add(.socket(socket))
        while try !socket.receive(into: &frame) {
            let left = Poller.milliseconds(until: end, from: MonotonicClock.now())
            let ready = try poller.wait(timeoutMilliseconds: left)
            try #require(ready > 0, "the daemon has not sent the expected message")
        }
        return Array(frame.bytes)
    }

    // MARK: - Conversations

    @discardableResult
    func greet(_ session: SessionID = .random()) throws -> Welcome {
        try send(Hello(session: session, program: "raw peer", processID: UInt32(getpid())))
        return try next(Welcome.self)
    }

    /// Attaches one node and returns its number.
    func attach(_ declaration: NodeDeclaration) throws -> UInt32 {
        lastRequest += 1
        try send(Attach(request: lastRequest, nodes: [declaration]))
        return try #require(try next(Attached.self).nodes.first).number
    }

    /// Publishes to all subscribers without waiting for the outcome.
    func emit(_ name: String, byteCount: Int) throws {
        lastEmitted += 1
        let fields = RaisedFields(name: try EventName(name)).fields
        var header = Header(
            .publish, flags: [.addressedInFields, .unacknowledged], sequence: lastEmitted,
            time: 60_000, code: PublishingDestination.all.rawValue)
        header.fieldsLength = UInt32(fields.count)
        try send(header.encoded() + fields + [UInt8](repeating: 0x20, count: byteCount))
    }

    /// Queries the bus. When it is answered, the daemon has read all earlier messages.
    @discardableResult
    func query(_ subject: Query.Subject = .bus) throws -> Answer {
        lastRequest += 1
        try send(Query(request: lastRequest, subject))
        let answer = try next()
        try #require(
            answer.header.command == .answer && answer.header.id == lastRequest,
            "\(answer.header) \(answer.words)")
        return answer
    }

    func counter(_ name: String) throws -> UInt64 {
        let answer: BusAnswer = try query().read()
        return try #require(answer.counters.first { $0.name == name }).value
    }

    /// The current state of a node.
    func state(of path: NodePath) throws -> NodeState? {
        let answer: TreeAnswer = try query(.tree(path: path, depth: 0)).read()
        return answer.nodes.first?.state
    }
}

extension RawPeer.Answer {
    /// The sentence of messages that have one.
    var words: String {
        switch header.command {
        case .violation: (try? read(Violation.self).sentence) ?? ""
        case .refused: (try? read(Refused.self).sentence) ?? ""
        default: ""
        }
    }
}

extension SessionID {
    static func random() -> SessionID {
        var generator = SystemRandomNumberGenerator()
        return SessionID(using: &generator)
    }
}

extension Header {
    /// An event raised from outside; its name and origin are in the fields.
    static func trigger(_ sequence: UInt64, time: UInt32 = 10_000) -> Header {
        Header(.trigger, flags: .addressedInFields, sequence: sequence, time: time)
    }
}

extension RaisedFields {
    var fields: [UInt8] {
        var writer = FieldWriter()
        write(to: &writer)
        return writer.bytes
    }
}

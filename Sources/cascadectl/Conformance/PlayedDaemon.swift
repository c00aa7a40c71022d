// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeWire
import Glibc
import ZeroMQ

/// The daemon's side of one conversation, played from a script of messages, and the client under test
/// at the other end.
///
/// It decides nothing itself: a script sends messages and states which come next. What holds for
/// every conversation (valid messages, sequence numbers, credit) is checked for each message that
/// arrives.
final class PlayedDaemon {
    let client: ClientProcess
    private let context: Context
    private let endpoint: String
    private let milliseconds: Int
    private var router: RouterSocket?
    /// The connection of the client; `nil` until it has greeted.
    private var peer: [UInt8]?
    /// The messages that no script has read, with those that began a connection.
    private var messages: [(peer: [UInt8], message: ClientMessage)] = []
    private var lines: [String] = []

    /// Numbers and declarations of the current connection.
    var table = ConnectionTable()
    /// The triggers and publications of the session.
    var raises = RaiseAccount()
    var session: SessionID?
    private var lastDelivery: UInt64 = 0x1_0000_0000
    private var lastSequence: UInt64 = 0
    private var lastBeat: UInt64 = 0

    init(
        _ program: ProgramFile, endpoint: String, limit: TimeSpan, commandGuard: CommandGuard
    ) throws {
        context = try Context()
        self.endpoint = endpoint
        milliseconds = Int(limit.milliseconds)
        router = try RouterSocket(endpoint, in: context)
        client = try ClientProcess(
            program, environment: ["CASCADE_BUS": endpoint], commandGuard: commandGuard)
    }

    // MARK: - Going and returning

    /// Ends all connections, as a daemon does that exits.
    func disappear() {
        router = nil
        peer = nil
        messages = []
    }

    /// Listens again.
    func returnToBus() throws {
        router = try RouterSocket(endpoint, in: context)
    }

    // MARK: - Sending

    func send(_ message: some WireMessage) throws {
        try send([message.encoded()])
    }

    /// Sends frames in one ZeroMQ message.
    func send(_ frames: [[UInt8]]) throws {
        if let peer {
            try router?.send(frames, to: peer)
        }
    }

    /// Writes a line to the client's standard input.
    func write(_ line: String) {
        client.write(line)
    }

    /// Returns the number of a new delivery.
    func nextDelivery() -> UInt64 {
        lastDelivery += 1
        return lastDelivery
    }

    /// Returns the sequence number of a new event of another session.
    func nextEvent() -> UInt64 {
        lastSequence += 1
        return lastSequence
    }

    // MARK: - Receiving

    /// Returns the next message of the client's connection.
    func next(_ expected: String) throws -> ClientMessage {
        let (sender, message) = try wait(for: expected) {
            messages.isEmpty ? nil : messages.removeFirst()
        }
        guard sender == peer else {
            throw Deviation(
                expected: expected, received: "\(message) on a connection that has not greeted")
        }
        return message
    }

    /// Returns the next message, which must have this command.
    func next(_ command: Command, _ expected: String? = nil) throws -> ClientMessage {
        let expected = expected ?? "'\(command)'"
        let message = try next(expected)
        guard message.header.command == command else {
            throw Deviation(expected: expected, received: message.description)
        }
        return message
    }

    /// Returns the next message of the client; `nil` if the client exits before.
    func nextUnlessExited(_ expected: String) throws -> ClientMessage? {
        try wait(for: expected, endsWithClient: false) { () -> ClientMessage?? in
            if !messages.isEmpty {
                return messages.removeFirst().message
            }
            return client.isAtEnd && client.exited() != nil ? .some(nil) : nil
        }
    }

    /// Returns the first message of a new connection, which becomes the client's. Messages of the
    /// connection before it do not matter any more.
    func nextConnection(_ expected: String) throws -> ClientMessage {
        let (sender, message) = try wait(for: expected) {
            messages.removeAll { $0.peer == peer }
            return messages.isEmpty ? nil : messages.removeFirst()
        }
        guard sender.count == 5, sender.first == 0 else {
            throw Deviation(expected: "a connection without a routing ID", received: "\(sender)")
        }
        peer = sender
        table = ConnectionTable(connection: table.connection + 1)
        return message
    }

    /// Sends a beat, and returns when the client has answered it without another message before.
    func expectQuiet(_ expected: String) throws {
        lastBeat += 1
        try send([Header(.beat, id: lastBeat).encoded()])
        let expected = "\(expected), and an answer to the beat"
        let answer = try next(.beat, expected)
        guard answer.header.id == lastBeat else {
            throw Deviation(expected: "'beat' id \(lastBeat)", received: answer.description)
        }
        try raises.check(outcomes: answer.header.sequence, in: answer)
    }

    /// Sends a beat, and returns the messages that the client has sent before its answer.
    func messagesBeforeBeat() throws -> [ClientMessage] {
        lastBeat += 1
        try send([Header(.beat, id: lastBeat).encoded()])
        var messages: [ClientMessage] = []
        while true {
            let message = try next("'beat' id \(lastBeat)")
            guard message.header.command != .beat else {
                try raises.check(outcomes: message.header.sequence, in: message)
                return messages
            }
            messages.append(message)
        }
    }

    /// Checks that no message of the client waits to be read.
    func expectNothingYet(_ expected: String) throws {
        if let message = messages.first?.message {
            throw Deviation(expected: expected, received: message.description)
        }
    }

    // MARK: - Lines

    /// Waits for the next line of the client's output, which must be this one.
    func expectLine(_ line: String) throws {
        try expectLines([line])
    }

    /// Waits for lines, in any order.
    func expectLines(_ expected: [String]) throws {
        var missing = expected
        while let first = missing.first {
            let expectation = "the line '\(first)'"
            let line = try wait(for: expectation) { lines.isEmpty ? nil : lines.removeFirst() }
            guard let place = missing.firstIndex(of: line) else {
                throw Deviation(expected: expectation, received: "the line '\(line)'")
            }
            missing.remove(at: place)
        }
    }

    /// Waits for the end of the client. It must have printed no further line, and sent no further
    /// message.
    func expectExit(_ isExpected: (Int32) -> Bool, _ expected: String) throws {
        let status = try wait(for: expected, endsWithClient: false) {
            client.isAtEnd ? client.exited() : nil
        }
        guard lines.isEmpty else {
            throw Deviation(expected: expected, received: "the line '\(lines[0])'")
        }
        if let message = messages.first(where: { $0.peer == peer })?.message {
            throw Deviation(expected: expected, received: message.description)
        }
        guard isExpected(status) else {
            throw Deviation(expected: expected, received: "exit status \(status)")
        }
    }

    // MARK: - Waiting

    /// Reads messages and lines until `take` returns a value. Throws ``Deviation`` after the time
    /// limit and, unless the end of the client is expected, when the client has exited.
    private func wait<Value>(
        for expected: String, endsWithClient: Bool = true, _ take: () -> Value?
    ) throws -> Value {
        let deadline = ContinuousClock.now.advanced(by: .milliseconds(milliseconds))
        while true {
            if let value = take() {
                return value
            }
            if endsWithClient, client.isAtEnd, let status = client.exited() {
                try pump(milliseconds: 0)
                guard let value = take() else {
                    throw Deviation(
                        expected: expected, received: "the client exited with status \(status)")
                }
                return value
            }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else {
                throw Deviation(
                    expected: expected,
                    received: "nothing within \(TimeSpan(milliseconds: UInt32(milliseconds)))")
            }
            // The exit of a client that has closed its output is asked for in intervals.
            let most = client.isAtEnd ? 10 : milliseconds
            try pump(milliseconds: min(Int(left.wireMilliseconds), most))
        }
    }

    /// Waits for input, and reads what has arrived.
    private func pump(milliseconds: Int) throws {
        var poller = Poller()
        router?.add(to: &poller)
        let place = client.isAtEnd ? nil : poller.add(.fileDescriptor(client.output))
        _ = try poller.wait(timeoutMilliseconds: milliseconds)
        if let place, poller.isReadable(place) {
            lines += client.readLines()
        }
        while let arrival = try router?.receive() {
            for frame in arrival.frames {
                let message = try ClientMessage(frame)
                if message.header.command == .trigger || message.header.command == .publish {
                    try raises.sent(message)
                }
                messages.append((arrival.peer, message))
            }
        }
    }
}

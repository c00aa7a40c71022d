// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import Glibc
import NATS
import Synchronization
import ZeroMQ

/// A thread with one end of a link over a NATS connection, which it renews whenever it ends.
///
/// The thread waits for the connection, or for the machine's deadline, as the event loop of a site does.
class LinkHost: @unchecked Sendable {
    let subjects = LinkSubjects(realm: "r", parent: "hq")
    private let settings: ConnectionSettings
    private let inboxByteCountMax: Int
    private let isStopping = Atomic(false)
    private var thread: OwnThread?
    private let isConnected: PollableQueue<Bool>

    // Used by the host's thread alone.
    private var connection: ServerConnection?
    private var publisher: Publisher?
    private var dialsAt = Duration.zero
    private(set) var connectionCount = 0
    private(set) var droppedCount: UInt64 = 0

    init(_ settings: ConnectionSettings, inboxByteCountMax: Int = 100_000_000) throws {
        isConnected = try PollableQueue()
        self.settings = settings
        self.inboxByteCountMax = inboxByteCountMax
    }

    var now: Duration {
        MonotonicClock.time
    }

    // MARK: - The part of a child or a gate

    var pattern: String { "" }
    var deadline: Duration? { nil }
    func connected() {}
    func disconnected() {}
    func received(_ message: ReceivedMessage) {}
    func timePassed() {}
    /// Publishes what the turn has sent.
    func endTurn() {}

    // MARK: - The thread

    /// Starts the thread, and waits for its first connection.
    func start() throws {
        thread = try OwnThread { self.run() }
        _ = isConnected.next()
    }

    /// Ends the thread, and waits for its end.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        thread?.join()
    }

    private func run() {
        while !isStopping.load(ordering: .sequentiallyConsistent) {
            if connection == nil, dialsAt <= now {
                dial()
            }
            wait()
            for item in connection?.takeAll() ?? [] {
                process(item)
            }
            timePassed()
            endTurn()
        }
        connection?.close()
    }

    private func dial() {
        do {
            let connection = try ServerConnection(
                settings, inboxByteCountMax: inboxByteCountMax)
            try connection.subscribe(to: pattern)
            try connection.roundTrip()
            self.connection = connection
            publisher = try Publisher(connection)
            connectionCount += 1
            connected()
            isConnected.append(contentsOf: [true])
        } catch {
            dialsAt = now + .milliseconds(50)
        }
    }

    private func wait() {
        let next = min(deadline ?? now + .milliseconds(100), now + .milliseconds(100))
        let milliseconds = max(0, (next - now) / .milliseconds(1))
        var poller = Poller()
        _ = poller.add(connection?.pollItems ?? [])
        _ = try? poller.wait(timeoutMilliseconds: Int(milliseconds.rounded(.up)))
    }

    private func process(_ item: InboxItem) {
        switch item {
        case .message(let message):
            received(message)
        case .noResponders, .refused, .unpublished:
            break
        case .ended:
            droppedCount += connection?.droppedCount ?? 0
            publisher = nil
            connection = nil
            disconnected()
        }
    }

    func publish(_ bytes: [UInt8], to subject: String, reply: String? = nil) {
        publisher?.publish(bytes, to: subject, reply: reply, whileUnderWay: 0)
    }

    /// The messages that the connections have dropped.
    var dropped: UInt64 {
        droppedCount + (connection?.droppedCount ?? 0)
    }
}

/// A gate whose bus sends each frame back.
final class EchoGate: LinkHost, @unchecked Sendable {
    private var gate: Gate
    private var refused: [LinkKey: [[UInt8]]] = [:]
    private(set) var ends: [LinkEnd] = []

    init(_ server: NATSServer, inboxByteCountMax: Int = 100_000_000) throws {
        gate = Gate(
            try GateConfiguration(
                name: "hq", bus: "hq", children: ["ulm": "/shop/ulm"],
                maxPayload: server.maxPayload))
        try super.init(server.settings(NATSServer.gate), inboxByteCountMax: inboxByteCountMax)
    }

    override var pattern: String { subjects.upPattern }
    override var deadline: Duration? { gate.deadline }

    override func connected() { act { $0.connected(at: $1, into: &$2) } }
    override func disconnected() { gate.disconnected() }
    override func timePassed() { act { $0.timePassed(at: $1, into: &$2) } }

    override func received(_ message: ReceivedMessage) {
        if let (child, address) = subjects.parse(up: message.subject) {
            act { $0.received(message.bytes, from: child, on: address, at: $1, into: &$2) }
        }
    }

    override func endTurn() {
        for key in gate.openLinks {
            act { $0.flush(key, at: $1, into: &$2) }
        }
    }

    private func act(_ change: (inout Gate, Duration, inout [GateEffect]) -> Void) {
        var effects: [GateEffect] = []
        change(&gate, now, &effects)
        for effect in effects {
            switch effect {
            case .publish(let child, let address, let bytes):
                publish(bytes, to: subjects.down(child, address))
            case .connect(let key):
                act { $0.busConnected(key, at: $1, into: &$2) }
            case .deliver(let key, let frame):
                send(Array(frame), on: key)
            case .room(let key):
                for frame in refused.removeValue(forKey: key) ?? [] {
                    send(frame, on: key)
                }
            case .disconnect(let key):
                act { $0.busDisconnected(key, "closed", at: $1, into: &$2) }
            case .report(.ended(_, let end)):
                ends.append(end)
            case .report:
                break
            }
        }
    }

    private func send(_ frame: [UInt8], on key: LinkKey) {
        if refused[key] != nil || gate.send(frame, on: key) == .full {
            refused[key, default: []].append(frame)
        }
    }
}

/// A child that sends numbered frames, at most 64 at a time, and expects each one back.
final class EchoChild: LinkHost, @unchecked Sendable {
    private static let underWayMax = 64

    /// The numbers of frames at which the test is told.
    let progress: PollableQueue<Int>
    private let milestone: Int
    private let frameByteCount: Int
    private var link: ChildLink?
    private var sentCount = 0
    private(set) var returnedCount = 0
    private(set) var openedCount = 0
    private(set) var ends: [LinkEnd] = []
    private(set) var isInOrder = true

    init(_ server: NATSServer, milestone: Int, frameByteCount: Int = 200) throws {
        progress = try PollableQueue()
        self.milestone = milestone
        self.frameByteCount = frameByteCount
        try super.init(server.settings(NATSServer.ulm))
    }

    override var pattern: String { subjects.downPattern(of: "ulm") }
    override var deadline: Duration? { link?.deadline }

    override func connected() {
        guard link == nil else {
            act { $0.connected(at: $1, into: &$2) }
            return
        }
        let request = OpenRequest(
            link: LinkID(MonotonicClock.now()), instance: "i", host: "h", program: "p")
        var effects: [ChildLinkEffect] = []
        link = ChildLink(request, at: now, into: &effects)
        perform(effects)
    }

    override func disconnected() { link?.disconnected() }
    override func timePassed() { act { $0.timePassed(at: $1, into: &$2) } }

    override func received(_ message: ReceivedMessage) {
        if let address = subjects.parse(down: message.subject, to: "ulm") {
            act { $0.received(message.bytes, on: address, at: $1, into: &$2) }
        }
    }

    override func endTurn() {
        guard var link, link.isOpen else {
            return
        }
        self.link = nil
        while sentCount < returnedCount + Self.underWayMax, link.send(frame(sentCount)) == .accepted
        {
            sentCount += 1
        }
        self.link = link
        act { $0.flush(at: $1, into: &$2) }
    }

    /// The frame with a number; its first byte is that of no command.
    private func frame(_ number: Int) -> [UInt8] {
        let head = [0xEE] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return head + [UInt8](repeating: 0, count: frameByteCount - head.count)
    }

    private func act(_ change: (inout ChildLink, Duration, inout [ChildLinkEffect]) -> Void) {
        guard var link else {
            return
        }
        var effects: [ChildLinkEffect] = []
        self.link = nil
        change(&link, now, &effects)
        self.link = link
        perform(effects)
    }

    private func perform(_ effects: [ChildLinkEffect]) {
        guard let id = link?.id else {
            return
        }
        for effect in effects {
            switch effect {
            case .publish(let address, let bytes):
                publish(
                    bytes, to: subjects.up("ulm", address),
                    reply: address == .open ? subjects.down("ulm", .link(id)) : nil)
            case .opened:
                openedCount += 1
            case .deliver(let bytes):
                isInOrder = isInOrder && frame(returnedCount) == Array(bytes)
                returnedCount += 1
                if returnedCount.isMultiple(of: milestone) {
                    progress.append(contentsOf: [returnedCount])
                }
            case .ended(let end):
                ends.append(end)
            case .refused, .refusePart, .room:
                break
            }
        }
    }
}

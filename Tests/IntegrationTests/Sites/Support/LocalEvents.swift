// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Synchronization
import Testing
import ZeroMQ

/// Events of one bus that must not notice what happens beyond it: a node, an origin, and the duration of each
/// event at the origin.
///
/// Both are sessions of a thread of their own, so that the thread of the tests may wait for a fault
/// meanwhile.
final class LocalEvents: Sendable {
    /// The pause between two events. Of many events the 99th percentile is not the slowest one.
    private static let pauseMilliseconds = Measuring.isOn ? 1 : 5
    /// The number of events before the fault.
    private static let quietCount = Measuring.isOn ? 1_000 : 200
    /// The least number of events in all. After a short fault more follow, or the slowest one alone would be
    /// the 99th percentile.
    private static let countMin = Measuring.isOn ? 2_000 : 0
    /// The accepted 99th percentile during the fault, as a multiple of the one without it. The release test
    /// holds the printed ratio to 2.
    private static let ratioMax = 5.0

    private struct Record {
        /// The duration of each event, in milliseconds.
        var durations: [Double] = []
        var faults: [String] = []
    }

    private let endpoint: String
    private let isStopping = Atomic(false)
    private let lock = Lock()
    // Only read and changed under the lock.
    private nonisolated(unsafe) var record = Record()
    /// Told once the events before the fault have ended, and at the end of the thread.
    private let isMeasured: PollableQueue<Bool>
    // Set before the object is shared, and read by its owner alone.
    private nonisolated(unsafe) var thread: OwnThread?

    /// Starts the events, and waits until those without a fault have ended.
    @FaultThread init(on bus: FaultBus) throws {
        endpoint = bus.endpoint
        isMeasured = try PollableQueue()
        let start = { self.thread = try OwnThread { self.run() } }
        if Measuring.isOn {
            try SeparateProcessors.give(to: bus.daemon.processID, start)
        } else {
            try start()
        }
        _ = isMeasured.next()
    }

    // MARK: - The end

    /// Ends the events. Expects that each was handled by the local node, and that the fault has made them
    /// hardly slower.
    ///
    /// - Parameter floorMilliseconds: No shorter time is asserted, because the machine may be busy with other
    ///   things; more where the test itself floods programs of a debug build.
    func end(floorMilliseconds: Double = 250) {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        thread?.join()
        let record = lock.withLock { self.record }
        #expect(record.faults.isEmpty, "\(record.faults)")
        let before = Self.percentile(record.durations.prefix(Self.quietCount))
        let during = Self.percentile(record.durations.dropFirst(Self.quietCount))
        #expect(
            during <= max(before * Self.ratioMax, floorMilliseconds),
            "a local event takes \(during) ms (p99) during the fault, and \(before) ms without")
        if Measuring.isOn {
            let name = Test.current?.name ?? ""
            print(
                "local events: p99 \(Self.shown(during)) ms during, \(Self.shown(before)) ms before, ratio "
                    + "\(Self.shown(during / before)), \(record.durations.count) events: \(name)")
        }
    }

    /// The 99th percentile; 0 of no durations.
    private static func percentile(_ durations: ArraySlice<Double>) -> Double {
        let sorted = durations.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
    }

    private static func shown(_ number: Double) -> String {
        "\((number * 100).rounded() / 100)"
    }

    // MARK: - The thread

    private func run() {
        do {
            let context = try Context()
            let node = try LocalPeer(endpoint, in: context)
            let origin = try LocalPeer(endpoint, in: context)
            try node.greet()
            try origin.greet()
            try node.attach("/local", handling: "Local")
            var sequence: UInt64 = 0
            while !isStopping.load(ordering: .sequentiallyConsistent) || sequence < Self.countMin {
                sequence += 1
                try pass(sequence, from: origin, to: node)
            }
            try node.leave()
        } catch {
            lock.withLock { record.faults.append("\(error)") }
        }
        isMeasured.append(contentsOf: [true])
    }

    /// Triggers one event, which the node handles, and waits for the pause after it.
    private func pass(_ sequence: UInt64, from origin: LocalPeer, to node: LocalPeer) throws {
        let start = MonotonicClock.now()
        let end = start + UInt64(Patience.milliseconds) * 1_000_000
        try origin.trigger("Local", from: "/local", sequence)
        var outcome: OutcomeCode?
        while outcome == nil {
            try LocalPeer.wait(for: [origin, node], until: end)
            try node.handleVisits()
            outcome = try origin.outcome()
            guard outcome != nil || MonotonicClock.now() < end else {
                throw LocalPeer.Failure(reason: "event \(sequence) has no outcome")
            }
        }
        let duration = start.millisecondsAgo
        let count = lock.withLock {
            record.durations.append(duration)
            if outcome != .handled {
                record.faults.append("event \(sequence) has ended as \(outcome as Any)")
            }
            return record.durations.count
        }
        if count == Self.quietCount {
            isMeasured.append(contentsOf: [true])
        }
        let next = start + UInt64(Self.pauseMilliseconds) * 1_000_000
        while MonotonicClock.now() < next {
            try LocalPeer.wait(for: [origin, node], until: next)
            try node.handleVisits()
            _ = try origin.outcome()
        }
    }
}

/// A session of ``LocalEvents``, used by its thread alone.
private final class LocalPeer {
    struct Failure: Error {
        var reason: String
    }

    private let socket: Socket
    private var frame = Message()
    private var outcomeCount: UInt64 = 0

    init(_ endpoint: String, in context: Context) throws {
        socket = try Socket(.dealer, in: context)
        try socket.set(.linger, 1_000)
        try socket.connect(endpoint)
    }

    /// Waits until one of the sessions may have a message.
    static func wait(for peers: [LocalPeer], until end: UInt64) throws {
        var poller = Poller()
        for peer in peers {
            poller.add(.socket(peer.socket))
        }
        let left = Poller.milliseconds(until: end, from: MonotonicClock.now())
        _ = try poller.wait(timeoutMilliseconds: left)
    }

    // MARK: - Conversations

    func greet() throws {
        try send(
            Hello(session: .random(), program: "local events", processID: UInt32(getpid()))
                .encoded())
        _ = try next(.welcome)
    }

    func attach(_ path: NodePath, handling name: EventName) throws {
        let node = NodeDeclaration(
            path: path, responders: [ResponderDeclaration(.handle, name)])
        try send(Attach(request: 1, nodes: [node]).encoded())
        _ = try next(.attached)
    }

    /// Leaves the bus. The socket sends that before it closes.
    func leave() throws {
        try send(Leave(request: 2).encoded())
    }

    func trigger(_ name: EventName, from origin: NodePath, _ sequence: UInt64) throws {
        let fields = RaisedFields(name: name, origin: origin).fields
        var header = Header.trigger(sequence)
        header.fieldsLength = UInt32(fields.count)
        try send(header.encoded() + fields)
    }

    /// Handles the visits that have arrived.
    func handleVisits() throws {
        while let header = try receive() {
            if header.command == .visit {
                try send(Verdict(delivery: header.id, node: header.node, code: .handled).encoded())
            }
        }
    }

    /// How an event has ended; `nil` if no outcome has arrived.
    func outcome() throws -> OutcomeCode? {
        while let header = try receive() {
            if header.command == .outcome {
                return try OutcomeMessage(parsing: Array(frame.bytes)).code
            }
        }
        return nil
    }

    // MARK: - Messages

    private func next(_ command: Command) throws {
        let end = MonotonicClock.now() + UInt64(Patience.milliseconds) * 1_000_000
        while MonotonicClock.now() < end {
            try Self.wait(for: [self], until: end)
            while let header = try receive() {
                if header.command == command {
                    return
                }
            }
        }
        throw Failure(reason: "no '\(command)' has arrived")
    }

    /// Receives the next message, and answers it if it is a beat.
    private func receive() throws -> Header? {
        guard try socket.receive(into: &frame) else {
            return nil
        }
        let header = try Header(parsing: Array(frame.bytes))
        if header.command == .outcome {
            outcomeCount += 1
        } else if header.command == .beat {
            try send(Header(.beat, id: header.id, sequence: outcomeCount).encoded())
        }
        return header
    }

    private func send(_ bytes: [UInt8]) throws {
        let result = try bytes.withUnsafeBytes { try socket.send(bytes: $0) }
        guard result == .sent else {
            throw Failure(reason: "a message is not sent: \(result)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import CascadeBroker
import CascadeWire
import Logging
import ZeroMQ

/// The shell around the broker: it turns messages, time and the ends of processes into inputs, and
/// does what the broker wants done. Belongs to one thread.
struct BrokerShell: ~Copyable {
    private let socket: Socket
    private var broker: Broker
    private var routes = RoutingTable()
    private var store = MessageStore()
    private var outbox = Outbox()
    private var processes: ProcessWatch
    private let log: BrokerLog

    private var identity = Message()
    private var body = Message()
    /// Empty between inputs; its storage is used again.
    private var effects: [Effect] = []
    private var now = Instant(nanoseconds: 0)

    /// Peers whose processes have ended. What they had written is still being read.
    private var ending: [(peer: PeerID, until: Instant)] = []
    /// Peers whose connections have ended.
    private var unreachable: [PeerID] = []

    // A look at the processes is a system call: a turn that brings messages goes without one.
    private var receivedCount = 0
    private var hasReceived = false
    private var turnCount = 0
    private static let turnsBetweenLooks = 64

    /// Messages taken in one turn before other work gets its chance.
    private static let batch = 256
    /// How long a dead process's connection may stay open, in the hands of a child, say.
    private static let lingerMilliseconds: UInt32 = 50

    init(socket: consuming Socket, broker: Broker, logger: Logger) throws(ZeroMQError) {
        self.socket = socket
        self.broker = broker
        processes = try ProcessWatch()
        log = BrokerLog(logger)
    }

    // MARK: - Stopping

    /// Takes no new events from now on.
    mutating func stop() {
        now = Instant(nanoseconds: MonotonicClock.now())
        handle(.stop)
        flush()
    }

    var isIdle: Bool {
        broker.isIdle
    }

    /// Tells every peer that the daemon ends.
    mutating func dismissAll() {
        now = Instant(nanoseconds: MonotonicClock.now())
        handle(.dismissAll)
        flush()
    }

    // MARK: - Receiving

    /// Takes what is there, within bounds. Returns whether there may be more.
    private mutating func receiveBatch() throws(ZeroMQError) -> Bool {
        receivedCount = 0
        while receivedCount < Self.batch {
            guard try socket.receive(into: &identity) else {
                return false
            }
            let id = RoutingID(identity.bytes)
            var hasMore = identity.hasMore
            while hasMore, try socket.receive(into: &body) {
                hasMore = body.hasMore
                receivedCount += 1
                if let id {
                    received(from: peer(of: id))
                }
            }
        }
        return true
    }

    private mutating func peer(of id: RoutingID) -> PeerID {
        if let peer = routes.peer(of: id) {
            return peer
        }
        let peer = routes.insert(id)
        let credentials = Credentials(peerAddress: body.property("Peer-Address"))
        handle(.connected(peer, credentials))
        if credentials.processID > 0, !processes.watch(peer, processID: credentials.processID) {
            log.cannotWatch(credentials.processID)
        }
        return peer
    }

    private mutating func received(from peer: PeerID) {
        do throws(WireError) {
            let header = try Header(parsing: body.bytes)
            let fields = fieldsToRead(header)
            let payload = travelsOn(header) ? PayloadID(store.adopt(&body)) : nil
            handle(.received(peer, header, fields: fields, payload: payload))
        } catch {
            handle(.malformed(peer, error))
        }
    }

    /// The fields are copied only where the broker has to look at them.
    private func fieldsToRead(_ header: Header) -> [UInt8] {
        let isRaised = header.command == .trigger || header.command == .publish
        guard header.fieldsLength > 0,
            !isRaised || header.flags.contains(.addressedInFields)
        else {
            return []
        }
        let start = Header.byteCount
        return Array(body.bytes[start..<(start + Int(header.fieldsLength))])
    }

    /// Whether the message itself may have to be sent on.
    private func travelsOn(_ header: Header) -> Bool {
        switch header.command {
        case .trigger, .publish: true
        case .verdict: header.code == VerdictCode.replaced.rawValue
        default: false
        }
    }

    // MARK: - Effects

    private mutating func handle(_ input: Input) {
        var batch: [Effect] = []
        swap(&batch, &effects)
        broker.handle(input, at: now, into: &batch)
        for index in batch.indices {
            perform(batch[index])
        }
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &effects)
    }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .stamp(let payload, let header):
            header.write(into: store.bytes(payload.rawValue))
        case .unshare(let payload):
            store.replaceWithCopy(payload.rawValue)
        case .forward(let payload, let peer, let itinerary, let isLast):
            forward(payload, to: peer, itinerary, isLast: isLast)
        case .send(let header, let peer):
            send(header, to: peer)
        case .sendMessage(let bytes, let peer):
            send(bytes, to: peer)
        case .release(let payload):
            store.release(payload.rawValue)
        case .disconnect(let peer):
            forget(peer)
        case .log(let entry):
            log.write(entry)
        }
    }

    // MARK: - Sending

    private mutating func send(_ header: Header, to peer: PeerID) {
        let slot = store.allocate(byteCount: Header.byteCount)
        header.write(into: store.bytes(slot))
        outbox.append(slot, to: peer)
    }

    private mutating func send(_ message: [UInt8], to peer: PeerID) {
        let slot = store.allocate(byteCount: message.count)
        store.bytes(slot).copyBytes(from: message)
        outbox.append(slot, to: peer)
    }

    private mutating func forward(
        _ payload: PayloadID, to peer: PeerID, _ itinerary: Itinerary?, isLast: Bool
    ) {
        if let itinerary {
            send(itinerary.encoded(), to: peer)
        }
        outbox.append(isLast ? payload.rawValue : store.share(payload.rawValue), to: peer)
    }

    private mutating func flush() {
        for peer in outbox.peers {
            flush(peer)
        }
        outbox.clearPeers()
    }

    /// Sends what a peer is to get as one message. Whether the peer can be reached shows at the
    /// frame that names it, and nowhere else.
    private mutating func flush(_ peer: PeerID) {
        let frames = outbox.frames(of: peer)
        guard let last = frames.last else {
            return
        }
        var isOnItsWay = address(peer)
        for slot in frames {
            if isOnItsWay {
                let result = Self.trySending(log) { () throws(ZeroMQError) in
                    try store.sendMoving(slot, through: socket, more: slot != last)
                }
                isOnItsWay = note(result, peer)
            }
            if !isOnItsWay {
                store.release(slot)
            }
        }
        outbox.clear(peer)
    }

    private mutating func address(_ peer: PeerID) -> Bool {
        guard let id = routes.id(of: peer) else {
            return false
        }
        let result = Self.trySending(log) { () throws(ZeroMQError) in
            try id.withBytes { bytes throws(ZeroMQError) in
                try socket.send(bytes: bytes, more: true)
            }
        }
        return note(result, peer)
    }

    @inline(__always)
    private static func trySending(
        _ log: BrokerLog, _ send: () throws(ZeroMQError) -> Socket.SendResult
    ) -> Socket.SendResult {
        do throws(ZeroMQError) {
            return try send()
        } catch {
            log.failed(error)
            return .unreachable
        }
    }

    /// Returns whether the message is on its way; a peer that takes none is given up.
    private mutating func note(_ result: Socket.SendResult, _ peer: PeerID) -> Bool {
        if result == .wouldBlock {
            log.doesNotRead(peer)
        }
        if result != .sent {
            unreachable.append(peer)
        }
        return result == .sent
    }

    private mutating func forget(_ peer: PeerID) {
        flush(peer)
        processes.forget(peer)
        routes.remove(peer)
    }

    // MARK: - The thread's turn

    var pollItems: [PollItem] {
        [.socket(socket), processes.pollItem]
    }

    mutating func turn() -> SocketThread.Rest {
        now = Instant(nanoseconds: MonotonicClock.now())
        turnCount += 1
        if !hasReceived || turnCount % Self.turnsBetweenLooks == 0 {
            noteEndedProcesses()
        }
        if let deadline = broker.nextDeadline, deadline <= now {
            handle(.deadline)
        }
        flush()
        do throws(ZeroMQError) {
            let mayHaveMore = try receiveBatch()
            hasReceived = receivedCount > 0
            flush()
            if mayHaveMore {
                return .poll
            }
        } catch {
            log.failed(error)
            return .forever
        }
        bury()
        return rest
    }

    private var rest: SocketThread.Rest {
        var next = broker.nextDeadline
        if !ending.isEmpty {
            next = min(next ?? .max, now.advanced(byMilliseconds: 1))
        }
        return next.map { .until($0.nanoseconds) } ?? .forever
    }

    /// A process has ended; its connection ends once everything it wrote has been read, and a send
    /// to it is how that shows.
    private mutating func noteEndedProcesses() {
        for peer in processes.ended() {
            ending.append((peer, now.advanced(byMilliseconds: Self.lingerMilliseconds)))
        }
        for (peer, until) in ending {
            if until <= now {
                unreachable.append(peer)
            } else {
                send(Header(.beat), to: peer)
            }
        }
    }

    /// Nothing is left to read, so whoever is unreachable has said all it had to say.
    private mutating func bury() {
        while let peer = unreachable.popLast() {
            guard routes.id(of: peer) != nil else {
                continue
            }
            ending.removeAll { $0.peer == peer }
            handle(.gone(peer))
            forget(peer)
            flush()
        }
    }
}


extension Instant {
    fileprivate static let max = Instant(nanoseconds: .max)
}

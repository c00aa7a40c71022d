// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Glibc
import LocalTransport
import Logging
import ZMTP
import ZeroMQ

/// The peers on unix sockets, whose ZMTP the daemon speaks itself.
struct LocalPeers: PeerTransport, ~Copyable {
    var transport: Transport
    /// How far a connection's index is shifted to make room for the bit that tells transports apart.
    private let shift: UInt32
    /// The frames of the last message that are not reported yet.
    private var frames: ZMTP.Message.Frames?
    private var sender = PeerID(index: 0, generation: 0)
    private var frameNumber = 0
    /// The time of this turn, in the transport's unit.
    private var time = Duration.zero
    var reports: [LogRecord] = []
    /// When the files of the listening sockets are looked at next, and how they were last.
    private var nextLook = Instant(nanoseconds: 0)
    var fileStates: [Listener.FileState] = []
    private static let lookMilliseconds: UInt32 = 10_000

    /// - Parameters:
    ///   - listeners: the sockets whose connections are accepted.
    ///   - sharesPeerIDs: whether another transport has peers, too.
    static func serve(
        _ listeners: [Listener], _ configuration: BrokerConfiguration, _ limits: DescriptorLimits,
        sharesPeerIDs: Bool
    ) throws(SystemError) -> LocalPeers {
        var transport = try Transport(TransportConfiguration(configuration, limits))
        for listener in listeners {
            try transport.listen(on: listener)
        }
        return LocalPeers(transport, shift: sharesPeerIDs ? 1 : 0)
    }

    private init(_ transport: consuming Transport, shift: UInt32) {
        self.transport = transport
        self.shift = shift
    }

    private func peer(_ id: LocalTransport.ConnectionID) -> PeerID {
        PeerID(index: id.index << shift, generation: id.generation)
    }

    private func connection(_ peer: PeerID) -> LocalTransport.ConnectionID {
        LocalTransport.ConnectionID(index: peer.index >> shift, generation: peer.generation)
    }

    // MARK: - Waiting

    var pollItems: [PollItem] {
        [.fileDescriptor(transport.descriptor)]
    }

    /// Has the event loop watch a descriptor of the thread. Returns whether it does.
    mutating func watch(_ descriptor: Int32, token: UInt32) -> Bool {
        (try? transport.add(descriptor, token: token)) != nil
    }

    /// Sleeps in the transport's event loop.
    ///
    /// - Parameter wakeup: the token of the descriptor that ends a sleep for a job.
    mutating func sleep(milliseconds: Int, wakeup: UInt32) -> SocketThread.Wake {
        let (isReady, isWoken) = transport.idle(
            milliseconds: Int32(clamping: milliseconds), wakeup: wakeup, at: time)
        return isWoken ? .job : isReady ? .driver : .deadline
    }

    var hasWork: Bool {
        transport.hasWork || frames != nil
    }

    func nextDeadline(at now: Instant) -> Instant? {
        let deadline = transport.nextDeadline.map {
            Instant(nanoseconds: UInt64($0.wholeNanoseconds))
        }
        return transport.listeners.isEmpty ? deadline : min(deadline ?? nextLook, nextLook)
    }

    // MARK: - Events

    mutating func beginTurn(at now: Instant) {
        time = Duration(now)
        transport.wait(until: time, at: time)
        if nextLook <= now {
            nextLook = now.advanced(byMilliseconds: Self.lookMilliseconds)
            lookAtFiles()
        }
    }

    mutating func next(at now: Instant) -> PeerEvent? {
        while true {
            if let frame = nextFrame() {
                return .frame(sender, frame, number: frameNumber)
            }
            guard let event = transport.next(at: time) else {
                return nil
            }
            switch event {
            case .message(let id, let message):
                sender = peer(id)
                frames = message.frames
                frameNumber = 0
            case .connected(let id):
                return .connected(peer(id))
            case .disconnected(let id, let credentials, let reason):
                report(reason, of: credentials)
                return .disconnected(peer(id))
            case .refused(let credentials, let reason):
                report(reason, of: credentials)
            case .unknownCommand(let credentials, let name):
                report(unknownCommand: name, of: credentials)
            case .unwritten(let credentials, let byteCount):
                report(unwrittenByteCount: byteCount, of: credentials)
            case .descriptorsExhausted:
                reportExhaustion()
            case .acceptFailed(let error):
                report(error)
            case .listenerEnded(let path):
                report(endedListener: path)
            case .readable:
                break
            }
        }
    }

    private mutating func nextFrame() -> UnsafeRawBufferPointer? {
        guard var rest = frames, let frame = transport.nextFrame(&rest) else {
            frames = nil
            return nil
        }
        frames = rest
        frameNumber += 1
        return frame
    }

    mutating func keep(_ frame: UnsafeRawBufferPointer) -> SharedBytes {
        transport.keep(frame)
    }

    func identity(of peer: PeerID) -> PeerIdentity? {
        guard let descriptor = transport.descriptor(of: connection(peer)),
            let credentials = transport.credentials(of: connection(peer)),
            let acceptTime = transport.acceptTime(of: connection(peer))
        else {
            return nil
        }
        return PeerIdentity(
            credentials: Credentials(
                credentials, descriptor: descriptor, acceptTime: acceptTime),
            descriptor: descriptor, acceptTime: acceptTime)
    }

    // MARK: - Sending

    mutating func send(_ header: Header, _ content: UnsafeRawBufferPointer, to peer: PeerID) {
        Self.withEncoded(header) { header in
            _ = transport.send(header, content, to: connection(peer))
        }
    }

    mutating func send(_ header: Header, behindHeaderOf shared: SharedBytes, to peer: PeerID) {
        Self.withEncoded(header) { header in
            _ = transport.send(header, shared, from: Header.byteCount, to: connection(peer))
        }
    }

    @inline(__always)
    private static func withEncoded(_ header: Header, _ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: Header.byteCount, alignment: 8) { memory in
            header.write(into: memory)
            body(UnsafeRawBufferPointer(memory))
        }
    }

    mutating func send(_ message: [UInt8], to peer: PeerID) {
        message.withUnsafeBytes { bytes in
            _ = transport.send(bytes, to: connection(peer))
        }
    }

    mutating func flush(at now: Instant) {
        transport.flush(at: Duration(now))
    }

    // MARK: - Bytes that peers have yet to read

    func unreadByteCount(of peer: PeerID) -> Int {
        transport.waitingByteCount(of: connection(peer))
    }

    func unreadByteCount(of owner: Owner) -> Int {
        owner.key == nil ? transport.waitingByteCount(ofUser: owner.userID) : 0
    }

    var unreadByteCount: Int {
        transport.waitingByteCount
    }

    func largestByteCount(of peer: PeerID) -> Int {
        transport.largestFrameByteCount(of: connection(peer))
    }

    var blockedPeers: [PeerID] {
        transport.blocked.map { peer($0) }
    }

    // MARK: - Ending

    mutating func close(_ peer: PeerID, at now: Instant) {
        transport.close(connection(peer), at: Duration(now))
    }

    mutating func abort(_ peer: PeerID, at now: Instant) {
        transport.abort(connection(peer))
    }

    mutating func endConnection(of peer: PeerID, at now: Instant) {
        transport.endWhenDrained(connection(peer))
    }

    /// The end of a connection is reported without being asked for.
    mutating func probe(_ peer: PeerID) {}

    mutating func remove(_ peer: PeerID) {
        transport.release(connection(peer))
    }

    mutating func closeAll() {
        transport.stopListening()
        let unwritten = transport.closeAll(clock: { MonotonicClock.time })
        for (credentials, byteCount) in unwritten {
            report(unwrittenByteCount: byteCount, of: credentials)
        }
    }

    mutating func trim() {}
}

extension TransportConfiguration {
    fileprivate init(_ configuration: BrokerConfiguration, _ descriptors: DescriptorLimits) {
        let limits = configuration.limits
        // The broker refuses a message over the limit with an error; the connection of one far over
        // it is closed.
        let frameByteCount = 2 * Int(limits.messageBytes)
        let messageByteCount = max(frameByteCount, Int(limits.unreadBytes))
        self.init(
            limits: ConnectionLimits(
                handshakeDuration: .milliseconds(Int(configuration.greetingMilliseconds)),
                frameByteCount: frameByteCount,
                frameCount: 4 * Int(limits.framesPerMessage),
                messageByteCount: messageByteCount),
            admission: AdmissionLimits(
                perUser: descriptors.perUser, total: descriptors.total,
                heldByteCountPerUser: max(messageByteCount, Int(limits.bytesPerUser)),
                heldByteCountTotal: max(messageByteCount, Int(limits.waitingBytes))))
    }
}

extension Credentials {
    /// The credentials of the process at the other end of a unix socket, with the kernel's facts.
    fileprivate init(_ peer: PeerCredentials, descriptor: Int32, acceptTime: Duration) {
        let process = PeerProcess(
            processID: peer.processID, descriptor: descriptor, acceptTime: acceptTime)
        self.init(
            processID: peer.processID, userID: peer.userID, groupID: peer.groupID,
            groups: process?.groups ?? [], unit: process?.unit ?? "")
    }
}

extension Duration {
    /// The time in the transport's unit.
    fileprivate init(_ time: Instant) {
        self = .nanoseconds(Int64(time.nanoseconds))
    }
}

// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import Glibc
package import LocalTransport
import ZMTP
package import ZeroMQ

/// A worker's connection to a bus on a unix socket. It speaks ZMTP itself, without libzmq and its
/// thread.
///
/// Belongs to one thread.
package struct LocalConnection: WorkerConnection, ~Copyable {
    package private(set) var endpoint: String
    private var isEndpointFixed: Bool
    private var transport: Transport
    private var id: LocalTransport.ConnectionID?
    private var isReady = false
    /// Whether the event loop watches the descriptor that ends a sleep of the thread.
    private var isWatchingWakeup = false
    private var changes: [ConnectionChange] = []
    private var frames: ZMTP.Message.Frames?
    private var frame = UnsafeRawBufferPointer(start: nil, count: 0)
    /// An accept that is held back, because the next message may be its verdict.
    private var queuedAccept: Header?
    private var time = MonotonicClock.time

    private static let scheme = "ipc://"
    /// An origin that awaits 256 outcomes at a time continues while the worker handles others.
    package static let standardFramesPerTurn = 64
    /// The time that closing may take to write the sent messages.
    private static let lingerMilliseconds = 200
    /// The time limit of a handshake. The bus answers at once, unless it is stopped or overloaded.
    private static let handshakeSeconds = 10

    /// Whether a bus at this endpoint is reached by a connection of this kind.
    package static func serves(_ endpoint: String) -> Bool {
        endpoint.hasPrefix(scheme)
    }

    /// Creates a connection to `endpoint`; with `nil`, to the bus that ``BusEndpoint/standard``
    /// finds when the connection is opened.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the bus; `nil` for the standard one.
    ///   - framesPerTurn: The largest number of messages that one turn receives.
    package init(endpoint: String?, framesPerTurn: Int = standardFramesPerTurn) throws(SystemError)
    {
        self.endpoint = endpoint ?? BusEndpoint.standard
        isEndpointFixed = endpoint != nil
        // These limits apply to incoming connections, which a worker does not accept.
        transport = try Transport(
            TransportConfiguration(
                admission: AdmissionLimits(perUser: 1, total: 1),
                framesPerTurn: framesPerTurn,
                lingerDuration: .milliseconds(Self.lingerMilliseconds)))
    }

    package var isRemote: Bool {
        false
    }

    package var retriesItself: Bool {
        false
    }

    package mutating func fixEndpoint() {
        isEndpointFixed = true
    }

    package var isOutdated: Bool {
        !isEndpointFixed && BusEndpoint.standard != endpoint
    }

    // MARK: - Opening and closing

    package mutating func open() throws {
        if !isEndpointFixed {
            endpoint = BusEndpoint.standard
        }
        let path = String(endpoint.dropFirst(Self.scheme.count))
        do throws(SystemError) {
            time = MonotonicClock.time
            id = try transport.connect(to: path, Self.configuration, at: time)
        } catch {
            // EAGAIN: the queue of the listening socket is full.
            changes.append(error.code == EAGAIN ? .refused : .noBusFound)
        }
    }

    private static let configuration = ConnectionConfiguration(
        role: .client, socketType: .dealer,
        limits: ConnectionLimits(
            handshakeDuration: .seconds(handshakeSeconds), frameByteCount: byteCountMax,
            frameCount: 65_536, messageByteCount: byteCountMax))

    /// The maximum size of a received message. A bus has lower limits; this one protects a worker
    /// from another process at the endpoint.
    private static let byteCountMax = 1 << 32

    package mutating func abandon() {
        if let id {
            transport.abort(id)
            transport.release(id)
        }
        id = nil
        isReady = false
        frames = nil
        queuedAccept = nil
    }

    package mutating func close() {
        flush()
        transport.closeAll(clock: { MonotonicClock.time })
        id = nil
        isReady = false
    }

    package var pollItems: [PollItem] {
        [.fileDescriptor(transport.descriptor)]
    }

    package mutating func sleep(milliseconds: Int, wakeup: Int32) -> SocketThread.Wake? {
        if !isWatchingWakeup {
            isWatchingWakeup = (try? transport.add(wakeup, token: 0)) != nil
        }
        guard isWatchingWakeup else {
            return nil
        }
        let (isReady, isWoken) = transport.idle(
            milliseconds: Int32(clamping: milliseconds), wakeup: 0, at: time)
        return isWoken ? .job : isReady ? .driver : .deadline
    }

    package var hasWork: Bool {
        transport.hasWork || frames != nil || !changes.isEmpty
    }

    package var nextDeadline: UInt64? {
        transport.nextDeadline.map { UInt64($0.wholeNanoseconds) }
    }

    // MARK: - Receiving

    package mutating func beginTurn(waiting: Bool) {
        time = MonotonicClock.time
        transport.wait(until: waiting ? nil : time, at: time)
    }

    package mutating func receive() throws(ConnectionError) -> Header? {
        while true {
            if let next = nextFrame() {
                frame = next
                guard let header = try Header(received: frame) else {
                    continue
                }
                return header
            }
            guard let event = transport.next(at: time) else {
                return nil
            }
            switch event {
            case .message(_, let message):
                frames = message.frames
            case .connected:
                isReady = true
                changes.append(.ready)
            case .disconnected(let ended, _, _) where ended == id:
                changes.append(isReady ? .broken : .refused)
                transport.release(ended)
                id = nil
                isReady = false
            case .disconnected, .refused, .unknownCommand, .unwritten, .descriptorsExhausted,
                .acceptFailed, .listenerEnded, .readable:
                break
            }
        }
    }

    private mutating func nextFrame() -> UnsafeRawBufferPointer? {
        guard var rest = frames else {
            return nil
        }
        let frame = transport.nextFrame(&rest)
        frames = frame == nil ? nil : rest
        return frame
    }

    package var message: UnsafeRawBufferPointer {
        frame
    }

    package mutating func change() -> ConnectionChange? {
        changes.isEmpty ? nil : changes.removeFirst()
    }

    // MARK: - Sending

    package mutating func send(_ header: Header, fields: [UInt8], payload: [UInt8]) {
        sendAccept(before: header)
        guard header.command != .accept else {
            queuedAccept = header
            return
        }
        encode(header, fields, payload)
    }

    package mutating func send(_ message: [UInt8]) {
        sendAccept()
        if let id {
            message.withUnsafeBytes { bytes in
                _ = transport.send(bytes, to: id)
            }
        }
    }

    package mutating func flush() {
        sendAccept()
        transport.flush(at: time)
    }

    /// Sends the queued accept, unless the next message is its verdict, which implies it.
    private mutating func sendAccept(before next: Header? = nil) {
        guard let accept = queuedAccept else {
            return
        }
        queuedAccept = nil
        if let next, next.command == .verdict, next.id == accept.id, next.node == accept.node {
            return
        }
        encode(accept, [], [])
    }

    private mutating func encode(_ header: Header, _ fields: [UInt8], _ payload: [UInt8]) {
        guard let id else {
            return
        }
        let headByteCount = Header.byteCount + fields.count
        withUnsafeTemporaryAllocation(byteCount: headByteCount, alignment: 8) { head in
            header.write(into: head)
            if !fields.isEmpty {
                UnsafeMutableRawBufferPointer(rebasing: head[Header.byteCount...])
                    .copyBytes(from: fields)
            }
            payload.withUnsafeBytes { payload in
                _ = transport.send(UnsafeRawBufferPointer(head), payload, to: id)
            }
        }
    }
}

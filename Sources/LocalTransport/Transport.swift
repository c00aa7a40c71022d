// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Glibc
import Synchronization
import ZMTP

/// The connections of listening unix sockets, and the event loop under them. Confined to one thread.
///
/// The owner waits, takes events until there is none, and flushes:
///
///     transport.wait(until: deadline, at: now)
///     while let event = transport.next(at: now) {
///         switch event { … transport.send(…) … }
///     }
///     transport.flush(at: now)
///
/// One such turn delivers at most ``TransportConfiguration/framesPerTurn`` frames, and a last message
/// that exceeds them, so that what they cause is written soon. ``hasWork`` says whether another turn
/// can follow at once.
package struct Transport: ~Copyable {
    /// Frames of one connection after which another one has its turn.
    static let framesPerConnection = 256
    /// Events of a turn that are not messages: commands of four bytes, for example.
    static let stepsPerTurn = 1_024
    /// Connections that one turn accepts: some 2 ms at most, and enough to keep the kernel's queue short
    /// while a user connects in a loop. A full queue refuses the connections of all users.
    static let acceptsPerTurn = 256

    /// Has no value to read. A type with an atomic property is always read in place; Swift would otherwise copy
    /// all of this one to the stack for each call of a method that does not change it.
    private let isReadInPlace = Atomic(true)

    let configuration: TransportConfiguration
    let epoll: Epoll
    /// The sockets whose connections are accepted.
    package internal(set) var listeners: [Listener] = []
    var table = ConnectionTable()
    var pool = BufferPool()
    var admission: Admission

    /// Events that no received bytes have caused, in their order.
    var events = Deque<TransportEvent>()
    /// Connections with something to read or to process. Users take turns, and so do the connections of
    /// each user.
    var readable = TurnQueue<UInt32, ConnectionID>()
    /// Connections with something to write at the end of the turn.
    var unflushed: [ConnectionID] = []
    /// When handshakes must be complete, and when closing connections are removed, in the order of their
    /// beginning. All handshakes of a transport may take the same time.
    var handshakes = Deque<(id: ConnectionID, deadline: Duration)>()
    var closings = Deque<(id: ConnectionID, deadline: Duration)>()
    /// Connections that the last flush has left with something to write.
    package internal(set) var blocked: [ConnectionID] = []
    /// Connections for whose output the kernel had no memory, and when they are written again.
    var starved: [ConnectionID] = []
    var writingResumes: Duration?
    /// Removed before the next event, because the owner may still read a message of it.
    var doomed: [ConnectionID] = []

    /// Whether the next turn begins with what ``idle(milliseconds:wakeup:at:)`` has found.
    private var hasSlept = false

    var hasPendingAccepts = false
    /// When connections are accepted again after there were no descriptors, or after an error.
    var acceptingResumes: Duration?
    static let acceptingPause = Duration.milliseconds(100)

    /// Frames and steps that are left of the current turn.
    var frameBudget: Int
    var stepBudget = stepsPerTurn

    /// The connection whose bytes are being processed.
    var current: Reception?
    /// The memory of the current message, if the owner keeps it.
    var kept: SharedBytes?
    /// The buffer that all connections receive into.
    let shared: UnsafeMutableRawBufferPointer
    static let sharedByteCount = 65_536

    package init(_ configuration: TransportConfiguration) throws(SystemError) {
        self.configuration = configuration
        frameBudget = configuration.framesPerTurn
        epoll = try Epoll()
        admission = Admission(configuration.admission)
        shared = .allocate(byteCount: Self.sharedByteCount, alignment: 4_096)
    }

    deinit {
        shared.deallocate()
    }

    /// Accepts the connections of a listener from now on. It takes the place of an earlier one with the
    /// same path.
    package mutating func listen(on listener: Listener) throws(SystemError) {
        try epoll.add(listener.descriptor, .readable, token: Token.ofListener)
        listeners.removeAll { $0.path != nil && $0.path == listener.path }
        listeners.append(listener)
    }

    /// Accepts no more connections; those that wait for it fail to connect.
    package mutating func stopListening() {
        // A socket that the service manager still has open would stay in the event loop.
        for listener in listeners {
            epoll.remove(listener.descriptor)
        }
        listeners = []
        hasPendingAccepts = false
        acceptingResumes = nil
    }

    // MARK: - Waiting

    /// A descriptor that is readable when ``wait(until:at:)`` would return at once, for a poll(2) of the
    /// owner.
    package var descriptor: Int32 {
        epoll.descriptor
    }

    /// Reports that a descriptor of the owner is readable, until it is closed or removed. Readiness is
    /// reported in each turn.
    package func add(_ descriptor: Int32, token: UInt32) throws(SystemError) {
        try epoll.add(descriptor, .readable, token: Token.of(foreign: token))
    }

    package func remove(_ descriptor: Int32) {
        epoll.remove(descriptor)
    }

    /// Whether another turn has something to do without waiting.
    package var hasWork: Bool {
        current != nil || !readable.isEmpty || !events.isEmpty || hasPendingAccepts
            || !unflushed.isEmpty
    }

    /// When a deadline of a connection passes next.
    package var nextDeadline: Duration? {
        Self.sooner(
            Self.sooner(handshakes.first?.deadline, closings.first?.deadline),
            Self.sooner(acceptingResumes, writingResumes))
    }

    private static func sooner(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one, let other else {
            return one ?? other
        }
        return min(one, other)
    }

    /// Begins a turn: waits until there is an event or a time has passed. `nil` waits without a limit.
    package mutating func wait(until time: Duration?, at now: Duration) {
        removeDoomed(at: now)
        dropPastHandshakes()
        frameBudget = configuration.framesPerTurn
        stepBudget = Self.stepsPerTurn
        guard !hasSlept else {
            hasSlept = false
            return
        }
        let end = Self.sooner(time, nextDeadline)
        let count = epoll.wait(
            timeoutMilliseconds: hasWork
                ? 0 : end.map { Self.milliseconds(until: $0, from: now) } ?? -1)
        for index in 0..<count {
            becameReady(index, at: now)
        }
    }

    /// Waits between two turns, for an owner whose thread sleeps between them: until a descriptor is
    /// ready or the time has passed; a negative time has no limit. The next turn begins with what has
    /// been found, and does not wait. `wakeup` is the token of an added descriptor that is the
    /// thread's own.
    package mutating func idle(
        milliseconds: Int32, wakeup: UInt32, at now: Duration
    ) -> (isReady: Bool, isWoken: Bool) {
        removeDoomed(at: now)
        let count = epoll.wait(timeoutMilliseconds: milliseconds)
        var isWoken = false
        for index in 0..<count {
            if case .foreign(wakeup) = Token(epoll.ready(index).token) {
                isWoken = true
            } else {
                becameReady(index, at: now)
            }
        }
        // A turn that follows after all descriptors were quiet for a while need not ask again.
        hasSlept = true
        return (count > 0, isWoken)
    }

    private mutating func becameReady(_ index: Int, at now: Duration) {
        let (token, ready) = epoll.ready(index)
        switch Token(token) {
        case .listener: hasPendingAccepts = true
        case .foreign(let token): events.append(.readable(token: token))
        case .connection(let id): becameReady(id, ready, at: now)
        }
    }

    /// Rounded up, so that the time has passed afterwards.
    private static func milliseconds(until time: Duration, from now: Duration) -> Int32 {
        let nanoseconds = max(.zero, time - now) / .nanoseconds(1)
        return Int32(clamping: Int((nanoseconds / 1_000_000).rounded(.up)))
    }

    private mutating func becameReady(
        _ id: ConnectionID, _ ready: Epoll.Events, at now: Duration
    ) {
        guard let connection = table[id], !connection.pointee.isDoomed else {
            return
        }
        if ready.contains(.writable) {
            queueFlush(id, connection)
        }
        if !ready.isDisjoint(with: .ended) {
            if connection.pointee.isClosing {
                remove(id, at: now)
                return
            }
            // Nothing reaches the peer, and nothing ends the event but reading to the end.
            connection.pointee.hasEnded = true
            discardOutput(of: connection)
        }
        if !ready.isDisjoint(with: [.readable, .ended]) {
            queueReading(id, connection)
        }
    }

    /// Queues a connection that can be read.
    mutating func queueReading(
        _ id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>
    ) {
        if !connection.pointee.isQueued, current?.id != id {
            connection.pointee.isQueued = true
            readable.append(id, of: connection.pointee.credentials.userID)
        }
    }

    // MARK: - Deadlines

    /// Removes the deadlines of handshakes that are complete, which would end waits for nothing.
    private mutating func dropPastHandshakes() {
        while let (id, _) = handshakes.first, table[id]?.pointee.wasOpened ?? true {
            handshakes.removeFirst()
        }
    }

    mutating func deadlinesPassed(at now: Duration) {
        var spared: [(id: ConnectionID, deadline: Duration)] = []
        while let (id, deadline) = handshakes.first, deadline <= now {
            handshakes.removeFirst()
            guard let connection = table[id], !connection.pointee.isDoomed else {
                continue
            }
            // After a stop of this process, the end of the handshake may lie in the socket.
            if connection.pointee.isQueued, !connection.pointee.isSpared {
                connection.pointee.isSpared = true
                spared.append((id, deadline))
                continue
            }
            if connection.pointee.engine.deadlinePassed(at: now) != nil {
                end(id, connection, at: now)
            }
        }
        for handshake in spared.reversed() {
            handshakes.prepend(handshake)
        }
        while let (id, deadline) = closings.first, deadline <= now {
            closings.removeFirst()
            if let connection = table[id], !connection.pointee.output.isEmpty {
                let byteCount = connection.pointee.output.byteCount
                events.append(.unwritten(connection.pointee.credentials, byteCount: byteCount))
            }
            remove(id, at: now)
        }
        if let time = writingResumes, time <= now {
            resumeWriting()
        }
        if let time = acceptingResumes, time <= now {
            resumeAccepting(at: now)
        }
    }
}

/// The object that a descriptor of an event loop belongs to.
enum Token {
    case listener
    case foreign(UInt32)
    case connection(ConnectionID)

    private static let listenerIndex = UInt32.max
    private static let foreignIndex = UInt32.max - 1

    static let ofListener = UInt64(listenerIndex)

    static func of(foreign token: UInt32) -> UInt64 {
        UInt64(token) << 32 | UInt64(foreignIndex)
    }

    static func of(_ id: ConnectionID) -> UInt64 {
        UInt64(id.generation) << 32 | UInt64(id.index)
    }

    init(_ token: UInt64) {
        let index = UInt32(truncatingIfNeeded: token)
        let upper = UInt32(truncatingIfNeeded: token >> 32)
        switch index {
        case Self.listenerIndex: self = .listener
        case Self.foreignIndex: self = .foreign(upper)
        default: self = .connection(ConnectionID(index: index, generation: upper))
        }
    }
}

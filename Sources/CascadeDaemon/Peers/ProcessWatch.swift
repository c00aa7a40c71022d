// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeBroker
import Glibc
import ZeroMQ

/// Detects exits of peers' processes at once. A process descriptor becomes readable when its
/// process exits (pidfd_open(2)); one epoll instance holds them all.
struct ProcessWatch: ~Copyable {
    private let epoll: Int32
    private var descriptors: [PeerID: Int32] = [:]
    private var processIDs: [PeerID: UInt32] = [:]
    private var watched: [UInt64: PeerID] = [:]
    /// The processes of peers whose exits will not be reported.
    private var unwatched: [PeerID: UInt32] = [:]

    init() throws(ZeroMQError) {
        epoll = cascade_epoll_create()
        guard epoll >= 0 else {
            throw ZeroMQError(code: errno, operation: "watch processes")
        }
    }

    deinit {
        for descriptor in descriptors.values {
            close(descriptor)
        }
        close(epoll)
    }

    /// Readable when a process has exited.
    var descriptor: Int32 {
        epoll
    }

    /// Whether the kernel supports process descriptors and permits them.
    static let isPossible = {
        let descriptor = cascade_pidfd_open(getpid())
        guard descriptor >= 0 else {
            return false
        }
        close(descriptor)
        return true
    }()

    /// Returns whether the exit will be reported. If not, the end of the connection and missed
    /// heartbeats reveal it.
    ///
    /// - Parameter acceptTime: when the connection was accepted; `nil` if it was just now.
    mutating func watch(
        _ peer: PeerID, processID: UInt32, connection: Int32?, acceptTime: Duration?
    ) -> Bool {
        guard processID > 0 else {
            return false
        }
        let descriptor = Self.isPossible ? Self.open(processID, connection, acceptTime) : -1
        let token = Self.token(peer)
        guard descriptor >= 0,
            cascade_epoll_add(epoll, descriptor, cascade_epoll_in, token) == 0
        else {
            if descriptor >= 0 {
                close(descriptor)
            }
            unwatched[peer] = processID
            return false
        }
        descriptors[peer] = descriptor
        processIDs[peer] = processID
        watched[token] = peer
        return true
    }

    /// Opens a descriptor of the process that connected. The connection's descriptor may have been
    /// reused, so the connection must still belong to the process afterwards.
    private static func open(
        _ processID: UInt32, _ connection: Int32?, _ acceptTime: Duration?
    ) -> Int32 {
        guard let connection else {
            return -1
        }
        let descriptor = PeerProcess.open(
            processID, connection: connection, acceptTime: acceptTime)
        var userID = uid_t()
        var groupID = gid_t()
        var owner = pid_t()
        let isKnown = cascade_peer_credentials(connection, &userID, &groupID, &owner) == 0
        guard isKnown, UInt32(bitPattern: owner) == processID else {
            if descriptor >= 0 {
                close(descriptor)
            }
            return -1
        }
        return descriptor
    }

    mutating func forget(_ peer: PeerID) {
        unwatched[peer] = nil
        if let descriptor = descriptors.removeValue(forKey: peer) {
            _ = cascade_epoll_remove(epoll, descriptor)
            close(descriptor)
            watched[Self.token(peer)] = nil
            processIDs[peer] = nil
        }
    }

    /// The process ID of a watched peer.
    func processID(of peer: PeerID) -> UInt32? {
        processIDs[peer]
    }

    /// The peers whose processes have exited since the last call.
    mutating func ended() -> [PeerID] {
        var ready = [cascade_epoll_ready](
            repeating: cascade_epoll_ready(token: 0, events: 0), count: 64)
        let count = cascade_epoll_wait(epoll, &ready, Int32(ready.count), 0)
        var ended: [PeerID] = []
        for entry in ready.prefix(Int(max(count, 0))) {
            if let peer = watched[entry.token] {
                ended.append(peer)
                forget(peer)
            }
        }
        return ended
    }

    /// The peers whose processes have exited, of those whose exits are not reported: each takes a
    /// system call.
    func endedUnwatched() -> [PeerID] {
        unwatched.filter { kill(pid_t($0.value), 0) != 0 && errno == ESRCH }.map(\.key)
    }

    private static func token(_ peer: PeerID) -> UInt64 {
        UInt64(peer.generation) << 32 | UInt64(peer.index)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import Glibc

/// libzmq's I/O threads, and the inproc namespace of the sockets created in it.
///
/// Every `Socket` keeps its context alive, so the context ends after the last of its sockets. That
/// never hangs, because sockets of this context do not linger unless their option says so.
package final class Context: Sendable {
    /// libzmq's contexts may be used from every thread, but ended only once, hence the lock.
    private nonisolated(unsafe) let handle: UnsafeMutableRawPointer
    private nonisolated(unsafe) var isTerminated = false
    private let lock = Lock()

    /// - Parameters:
    ///   - ioThreads: the number of libzmq's I/O threads.
    ///   - maxSockets: the largest number of open sockets.
    ///   - sharesReceiveBuffers: whether messages stay in the buffer that they were read into,
    ///     which costs each connection at least a page for reference counts. Otherwise each is
    ///     copied into memory of its own, which is as fast for small messages.
    package init(
        ioThreads: Int = 1, maxSockets: Int = 1023, sharesReceiveBuffers: Bool = true
    ) throws(ZeroMQError) {
        _ = Self.routingIDSeed
        guard let handle = zmq_ctx_new() else { throw ZeroMQError(during: "create a context") }
        self.handle = handle
        try set(ZMQ_IO_THREADS, to: ioThreads)
        try set(ZMQ_MAX_SOCKETS, to: maxSockets)
        try set(ZMQ_BLOCKY, to: 0)
        try set(cascade_zero_copy_receive, to: sharesReceiveBuffers ? 1 : 0)
    }

    deinit {
        guard !isTerminated else { return }
        while zmq_ctx_term(handle) != 0 && zmq_errno() == EINTR {}
    }

    /// Makes every further call on the context's sockets fail with a termination error, so that
    /// their owners close them. Safe from any thread, at any time.
    package func shutdown() {
        lock.withLock {
            guard !isTerminated else { return }
            zmq_ctx_shutdown(handle)
        }
    }

    /// Shuts down and waits until every socket is closed. Never call it on a socket's thread.
    package func terminate() {
        let isFirst = lock.withLock {
            defer { isTerminated = true }
            return !isTerminated
        }
        guard isFirst else { return }
        while zmq_ctx_term(handle) != 0 && zmq_errno() == EINTR {}
    }

    func makeSocket(type: Int32) throws(ZeroMQError) -> UnsafeMutableRawPointer {
        try lock.withLock { () throws(ZeroMQError) -> UnsafeMutableRawPointer in
            guard !isTerminated else {
                throw ZeroMQError(code: cascade_eterm, operation: "create a socket")
            }
            guard let socket = zmq_socket(handle, type) else {
                throw ZeroMQError(during: "create a socket")
            }
            return socket
        }
    }

    private func set(_ option: Int32, to value: Int) throws(ZeroMQError) {
        guard zmq_ctx_set(handle, option, Int32(clamping: value)) == 0 else {
            throw ZeroMQError(during: "set context option \(option) to \(value)")
        }
    }

    /// Runs once per process. A ROUTER draws its first routing ID from C's `rand()`, which libzmq
    /// never seeds: without a seed, every daemon would assign the same routing IDs.
    private static let routingIDSeed: Void = {
        var seed: UInt32 = 0
        let result = getentropy(&seed, MemoryLayout<UInt32>.size)
        precondition(result == 0, "the kernel gave no entropy")
        srand(seed)
    }()
}

/// A call that libzmq or the system refused because of the environment, never because of a peer.
package struct ZeroMQError: Error, Equatable, CustomStringConvertible {
    /// The errno of the refused call.
    package let code: Int32
    /// The call and its endpoint in words: "bind ipc:///run/cascade/bus".
    package let operation: String

    /// An error of a call that returned its errno.
    package init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// Takes the errno that the previous call set.
    @usableFromInline
    init(during operation: String) {
        self.init(code: zmq_errno(), operation: operation)
    }

    /// Whether the context was shut down: its sockets can only be closed.
    package var isTermination: Bool { code == cascade_eterm }

    /// Whether no transport accepts the endpoint: its form is invalid, or its transport is not
    /// built in.
    package var isBadEndpoint: Bool {
        [EINVAL, EPROTONOSUPPORT, ENODEV, ENAMETOOLONG].contains(code)
    }

    package var description: String { "\(operation): \(String(cString: zmq_strerror(code)))" }
}

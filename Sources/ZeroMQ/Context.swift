// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import Glibc

/// A libzmq context: the I/O threads, and the inproc namespace of its sockets.
///
/// Every `Socket` keeps its context alive, so the context ends after the last of its sockets. That never
/// blocks for long, because its sockets do not linger unless an option makes them.
package final class Context: Sendable {
    /// The context may be used from any thread, but must be terminated only once. The lock ensures that.
    private nonisolated(unsafe) let handle: UnsafeMutableRawPointer
    private nonisolated(unsafe) var isTerminated = false
    private let lock = Lock()

    /// - Parameters:
    ///   - ioThreads: The number of libzmq's I/O threads.
    ///   - maxSockets: The largest number of open sockets.
    ///   - sharesReceiveBuffers: Whether messages stay in the buffer that they were read into, which
    ///     costs each connection at least a page for reference counts. Otherwise each is copied into
    ///     memory of its own, which is as fast for small messages.
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

    /// Makes every further call on the context's sockets fail with a termination error, so that their
    /// owners close them. Any thread may call it at any time.
    package func shutdown() {
        lock.withLock {
            guard !isTerminated else { return }
            zmq_ctx_shutdown(handle)
        }
    }

    /// Shuts the context down, and waits until every socket is closed. Do not call it on the thread of a
    /// socket.
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

    /// Seeds C's `rand()`, once per process. A ROUTER draws its first routing ID from it, and libzmq does
    /// not seed it: without a seed, every daemon would assign the same routing IDs.
    private static let routingIDSeed: Void = {
        var seed: UInt32 = 0
        let result = getentropy(&seed, MemoryLayout<UInt32>.size)
        precondition(result == 0, "getentropy: \(errno)")
        srand(seed)
    }()
}

/// The error of a call that libzmq or the system has refused. A peer cannot cause it.
package struct ZeroMQError: Error, Equatable, CustomStringConvertible {
    /// The `errno` of the refused call.
    package let code: Int32
    /// The refused operation and its endpoint, for example `bind ipc:///run/cascade/bus`.
    package let operation: String

    /// Creates the error of a call that returned its `errno`.
    package init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// Creates the error of the previous call, with the `errno` that it set.
    @usableFromInline
    init(during operation: String) {
        self.init(code: zmq_errno(), operation: operation)
    }

    /// Whether the context was shut down. Its sockets can only be closed.
    package var isTermination: Bool { code == cascade_eterm }

    /// Whether no transport accepts the endpoint: its form is invalid, or its transport is not
    /// built in.
    package var isBadEndpoint: Bool {
        [EINVAL, EPROTONOSUPPORT, ENODEV, ENAMETOOLONG].contains(code)
    }

    package var description: String { "\(operation): \(String(cString: zmq_strerror(code)))" }
}

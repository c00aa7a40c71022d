// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
import Glibc
import LocalTransport
package import Logging
package import ZeroMQ

/// A link to a bus, with the thread that it runs on.
///
/// A bus on a unix socket is reached without libzmq, unless `CASCADE_TRANSPORT` is `libzmq`; a bus
/// on tcp always by libzmq.
package struct BusLink: Sendable {
    package let link: Link
    package let thread: SocketThread
    /// libzmq's context; `nil` without libzmq.
    private let context: Context?

    /// Connects to `endpoint`, or to the bus that ``BusEndpoint/standard`` finds. The connection is
    /// made in the background, as soon as a bus serves the endpoint. Throws `ZeroMQError` if the
    /// endpoint is invalid, and ``CascadeError`` if the directory of the user's bus must not be used.
    ///
    /// `keys` are for a bus on another machine; with `nil`, they are ``BusKeys/standard(for:)``.
    /// The thread polls for `spinNanoseconds` before it sleeps.
    package init(
        session: consuming Session, endpoint: String?, keys: BusKeys? = nil, logger: Logger,
        spinNanoseconds: UInt64 = 0
    ) async throws {
        if endpoint == nil {
            try BusEndpoint.checkUserDirectory()
        }
        let address = endpoint ?? BusEndpoint.standard
        // libzmq knows transports on which no daemon serves, such as inproc, and waits on them for ever.
        guard address.hasPrefix("ipc://") || address.hasPrefix("tcp://") else {
            throw ZeroMQError(code: EPROTONOSUPPORT, operation: "connect to \(address)")
        }
        let keys = try keys ?? BusKeys.standard(for: address)
        let context = Self.isBuiltin(for: address) ? nil : try Context(maxSockets: 64)
        let thread = SocketThread(name: "link", spinNanoseconds: spinNanoseconds)
        let link = Link(session: session, executor: thread, logger: logger)
        self.thread = thread
        self.link = link
        self.context = context
        try thread.start()
        do {
            try await link.open { link in
                if let context {
                    try WorkerTransport(
                        link: link, thread: thread,
                        connection: ZeroMQConnection(
                            endpoint: endpoint, context: context, keys: keys),
                        logger: logger)
                } else {
                    try WorkerTransport(
                        link: link, thread: thread,
                        connection: LocalConnection(endpoint: endpoint), logger: logger)
                }
            }
        } catch {
            thread.stop()
            throw error
        }
    }

    /// Whether a bus is reached without libzmq.
    package static func isBuiltin(for endpoint: String) -> Bool {
        let choice = getenv("CASCADE_TRANSPORT").map { String(cString: $0) }
        return LocalConnection.serves(endpoint) && choice != "libzmq"
    }

    /// Ends the session. Call it once, and not from the link's own thread.
    package func close(
        _ error: CascadeError = CascadeError(.notRunning, "the worker has ended")
    )
        async
    {
        await link.close(error)
        thread.stop()
        context?.terminate()
    }
}

// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import Logging
package import ZeroMQ

/// A link over libzmq, with its thread and context.
package struct ZeroMQLink: Sendable {
    package let link: Link
    package let thread: SocketThread
    private let context: Context

    /// Connects to `endpoint`, or to the bus that ``BusEndpoint/standard`` finds. The connection is
    /// made in the background, as soon as a bus serves the endpoint. Throws `ZeroMQError` if the
    /// endpoint is invalid.
    ///
    /// `keys` are for a bus on another machine; with `nil`, they are ``BusKeys/standard(for:)``.
    /// The thread polls for `spinNanoseconds` before it sleeps.
    package init(
        session: Session, endpoint: String?, keys: BusKeys? = nil, logger: Logger,
        spinNanoseconds: UInt64 = 0
    ) async throws {
        let keys = try keys ?? BusKeys.standard(for: endpoint ?? BusEndpoint.standard)
        context = try Context(maxSockets: 64)
        let thread = SocketThread(name: "link", spinNanoseconds: spinNanoseconds)
        let link = Link(session: session, executor: thread, logger: logger)
        self.thread = thread
        self.link = link
        try thread.start()
        let context = context
        do {
            try await link.open { link in
                try ZeroMQTransport(
                    link: link, thread: thread,
                    connection: Connection(endpoint: endpoint, context: context, keys: keys),
                    logger: logger)
            }
        } catch {
            thread.stop()
            throw error
        }
    }

    /// Ends the session. Call it once, and not from the link's own thread.
    package func close(
        _ error: CascadeError = CascadeError(.notRunning, "the worker has ended")
    )
        async
    {
        await link.close(error)
        thread.stop()
        context.terminate()
    }
}

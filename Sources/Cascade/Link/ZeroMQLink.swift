// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import Logging
package import ZeroMQ

/// A link over libzmq, with the thread and the context that it needs.
package struct ZeroMQLink: Sendable {
    package let link: Link
    package let thread: SocketThread
    private let context: Context

    /// Connects to `endpoint`, or to the bus that ``BusEndpoint/standard`` finds, now or as soon as
    /// somebody serves it. Throws `ZeroMQError` if the endpoint is none.
    ///
    /// - Parameters:
    ///   - keys: how a bus on another machine and this side know one another; those of
    ///     ``BusKeys/standard(for:)`` unless said otherwise.
    ///   - spinNanoseconds: how long the thread polls before it sleeps.
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

    /// Ends the conversation. To be called once, not from the link's own thread.
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

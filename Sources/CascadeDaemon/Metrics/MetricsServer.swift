// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// Serves metrics at a unix socket.
actor MetricsServer {
    private let thread: SocketThread
    private let loop: MetricsLoop
    private let requests: AsyncStream<Int>

    /// Throws `ZeroMQError` if the thread cannot be started.
    init(_ socket: consuming sending MetricsSocket) throws(ZeroMQError) {
        thread = SocketThread(name: "metrics")
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        requests = stream
        loop = MetricsLoop(socket, requests: continuation)
        try thread.start()
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Serves until the surrounding task is cancelled.
    ///
    /// - Parameter metrics: returns the metrics; called once for each scraper.
    func serve(from metrics: @Sendable () async -> String) async {
        thread.attach(loop)
        for await id in requests {
            loop.answer(id, await metrics())
        }
        thread.detach()
    }

    nonisolated func stop() {
        thread.stop()
    }
}

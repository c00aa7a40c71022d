// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import ZeroMQ

/// Serves metrics at a unix socket.
package actor MetricsServer {
    private let thread: SocketThread
    private let loop: MetricsLoop
    private let requests: AsyncStream<Int>

    /// Throws `ZeroMQError` if the thread cannot be started.
    package init(_ socket: consuming sending MetricsSocket) throws(ZeroMQError) {
        thread = SocketThread(name: "metrics")
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        requests = stream
        loop = MetricsLoop(socket, requests: continuation)
        try thread.start()
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Serves until the surrounding task is cancelled.
    ///
    /// - Parameter metrics: returns the metrics; called once for each scraper.
    package func serve(from metrics: @Sendable () async -> String) async {
        thread.attach(loop)
        for await id in requests {
            loop.answer(id, await metrics())
        }
        thread.detach()
    }

    package nonisolated func stop() {
        thread.stop()
    }
}

/// The listening unix socket of the metrics.
package struct MetricsSocket: ~Copyable {
    let descriptor: Int32
    /// The socket file to remove at the end; `nil` if the service manager created it.
    private let path: String?

    /// Takes ownership of a socket that listens already, for example one opened by systemd.
    package init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        path = nil
        Self.setFlags(of: descriptor)
    }

    /// Opens the socket for the user and group of the process. Throws ``EndpointError``.
    package init(path: String) throws(EndpointError) {
        descriptor = try Self.open(path)
        self.path = path
    }

    private static func open(_ path: String) throws(EndpointError) -> Int32 {
        guard path.utf8.count <= Int(cascade_unix_path_max) else {
            throw EndpointError("the path '\(path)' of the metrics socket is too long")
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else {
            throw error(path)
        }
        setFlags(of: descriptor)
        guard cascade_unix_connect(descriptor, path) != 0 else {
            let holder = EndpointHolder.listener(of: descriptor)
            close(descriptor)
            throw EndpointError("cannot serve metrics at '\(path)': \(holder) listens there")
        }
        if errno == ECONNREFUSED {
            // No process listens there any longer.
            unlink(path)
        }
        let mask = umask(0o117)
        defer { umask(mask) }
        guard cascade_unix_bind(descriptor, path) == 0, listen(descriptor, 16) == 0 else {
            let error = error(path)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    deinit {
        close(descriptor)
        if let path {
            unlink(path)
        }
    }

    /// Accepts the next connection; returns `nil` if none is pending, or, with `isFull` set, if the
    /// process has no free descriptor.
    func accept(isFull: inout Bool) -> Int32? {
        let client = Glibc.accept(descriptor, nil, nil)
        guard client >= 0 else {
            isFull = errno != EAGAIN && errno != EINTR && errno != ECONNABORTED
            return nil
        }
        Self.setFlags(of: client)
        return client
    }

    private static func setFlags(of descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    private static func error(_ path: String) -> EndpointError {
        EndpointError("cannot serve metrics at '\(path)': \(String(cString: strerror(errno)))")
    }
}

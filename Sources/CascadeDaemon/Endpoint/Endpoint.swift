// SPDX-License-Identifier: Apache-2.0

package import CascadeService
import Glibc
import LocalTransport
import ZeroMQ

/// The endpoints that one daemon serves, locked against a second daemon.
struct Endpoint: Sendable {
    /// The endpoints in ZeroMQ's notation.
    let names: [String]
    private let socketPaths: [String]
    /// One for each socket path, in the same order.
    private let locks: [EndpointLock]
    /// Sockets that the service manager opened and keeps.
    private let sockets: [InheritedSocket]

    /// Locks the endpoints. Throws `EndpointError` if an endpoint is malformed, if its folder
    /// cannot be created, or if another daemon holds it.
    ///
    /// - Parameters:
    ///   - sockets: listening unix sockets of the bus. They replace all unix sockets in
    ///     `endpoints`: the process that opened them decided their paths, and keeps other daemons
    ///     from serving them.
    ///   - hasKey: whether peers on tcp must prove to have a key.
    ///   - allowsPlainTCP: whether tcp may be served to other machines without a key.
    init(
        _ endpoints: [String], sockets: [InheritedSocket] = [], hasKey: Bool = false,
        allowsPlainTCP: Bool = false
    ) throws(EndpointError) {
        self.sockets = sockets
        let isActivated = !sockets.isEmpty
        let endpoints = endpoints.filter { !isActivated || !$0.hasPrefix("ipc://") }
        names = sockets.map(\.endpoint) + endpoints
        var paths: [String] = []
        for endpoint in endpoints {
            if let fault = Self.fault(in: endpoint) {
                throw EndpointError(fault)
            }
            if let path = Self.path(of: endpoint) {
                paths.append(try Self.checked(path))
            } else if !hasKey, !allowsPlainTCP,
                let fault = Self.faultWithoutKey(in: endpoint)
            {
                throw EndpointError(fault)
            }
        }
        socketPaths = paths
        locks = try paths.map { path throws(EndpointError) in try EndpointLock(socketPath: path) }
    }

    /// Whether a daemon may have served here before. Peers of a socket that existed before the
    /// daemon may have been served by another one.
    var hasPredecessor: Bool {
        !sockets.isEmpty || locks.contains(where: \.hasPredecessor)
    }

    /// Whether an endpoint is on tcp.
    var hasTCP: Bool {
        names.contains { $0.hasPrefix(Self.tcp) }
    }

    var hasUnixSocket: Bool {
        names.contains { !$0.hasPrefix(Self.tcp) }
    }

    /// Listens on all unix sockets.
    func listen() throws -> [Listener] {
        var listeners: [Listener] = []
        for inherited in sockets {
            listeners.append(try Listener(inherited: try copy(of: inherited)))
        }
        // A file that an earlier daemon left: the lock shows that none holds it.
        remove()
        for path in socketPaths {
            do throws(SystemError) {
                listeners.append(try Listener(path: path))
            } catch {
                throw EndpointError("cannot serve 'ipc://\(path)': \(error)")
            }
        }
        return listeners
    }

    /// A descriptor of an inherited socket to close. The original keeps the path and the queue.
    private func copy(of inherited: InheritedSocket) throws(EndpointError) -> Int32 {
        let copy = fcntl(inherited.number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else {
            throw EndpointError(
                "cannot serve \(inherited.endpoint): \(String(cString: strerror(errno)))")
        }
        return copy
    }

    /// Binds endpoints to one ZeroMQ socket: all of them, or those on tcp alone.
    ///
    /// - Parameter key: secures the endpoints on tcp; `nil` for plain tcp.
    func bind(_ socket: borrowing Socket, with key: ServerKey?, onlyTCP: Bool) throws {
        if !onlyTCP {
            try bindUnix(socket)
        }
        // Socket options apply to the endpoints that are bound after them.
        try key?.secure(socket)
        for endpoint in names where endpoint.hasPrefix(Self.tcp) {
            try socket.set(.ipv6, endpoint.contains("[") ? 1 : 0)
            try socket.bind(endpoint)
        }
    }

    private func bindUnix(_ socket: borrowing Socket) throws {
        for inherited in sockets {
            let copy = try copy(of: inherited)
            _ = fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) | O_NONBLOCK)
            try socket.set(.useFileDescriptor, copy)
            try socket.bind(inherited.endpoint)
        }
        if !sockets.isEmpty {
            try socket.set(.useFileDescriptor, -1)
        }
        for endpoint in names.dropFirst(sockets.count) where !endpoint.hasPrefix(Self.tcp) {
            try socket.bind(endpoint)
        }
    }

    /// Removes the socket files when the daemon ends, also if it fails after it has bound them.
    func remove() {
        for path in socketPaths {
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK {
                unlink(path)
            }
        }
    }

    static let tcp = "tcp://"

    /// Whether an endpoint has the form `tcp://ADDRESS:PORT`; a port `*` is any that is free.
    private static func isTCP(_ endpoint: String) -> Bool {
        guard endpoint.hasPrefix(tcp), let colon = endpoint.dropFirst(tcp.count).lastIndex(of: ":")
        else {
            return false
        }
        let port = endpoint[endpoint.index(after: colon)...]
        return port == "*" || UInt16(port) != nil
    }

    private static func isLoopback(_ endpoint: String) -> Bool {
        ["tcp://127.", "tcp://[::1]:", "tcp://localhost:"].contains { endpoint.hasPrefix($0) }
    }

    /// The longest path of a unix socket (unix(7)).
    private static let pathByteCountMax = 107

    /// The path of a unix socket; `nil` for an endpoint on tcp.
    private static func path(of endpoint: String) -> String? {
        endpoint.hasPrefix("ipc://") ? String(endpoint.dropFirst("ipc://".count)) : nil
    }

    /// Returns why no daemon can serve the endpoint on any machine; `nil` if one may.
    static func fault(in endpoint: String) -> String? {
        guard let path = path(of: endpoint), !path.isEmpty else {
            return isTCP(endpoint)
                ? nil
                : "cannot serve '\(endpoint)': write ipc:///path/to/socket, or tcp://ADDRESS:PORT"
        }
        guard path.utf8.count > pathByteCountMax else {
            return nil
        }
        return
            "the socket path '\(path)' has \(path.utf8.count) bytes, more than \(pathByteCountMax); "
            + "choose a shorter one"
    }

    /// Returns why no daemon should serve the endpoint without a key; `nil` if it may.
    static func faultWithoutKey(in endpoint: String) -> String? {
        guard isTCP(endpoint), !isLoopback(endpoint) else {
            return nil
        }
        return
            "cannot serve '\(endpoint)' without a key: every process that reaches it could read and send "
            + "anything. Give the bus a key with --curve-key, or allow this with --allow-plain-tcp"
    }

    private static func checked(_ path: String) throws(EndpointError) -> String {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard directory.isEmpty || access(directory, F_OK) == 0 || mkdir(directory, 0o755) == 0
        else {
            throw EndpointError(
                "cannot create the directory \(directory): \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFSOCK else {
            let kind =
                status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a file that is no socket"
            throw EndpointError(
                "cannot serve 'ipc://\(path)': \(kind) has this path already; choose "
                    + "the path of a socket, which the daemon creates")
        }
        return path
    }
}

/// The endpoint of a user's daemon without a configured one.
package enum DefaultEndpoint {
    /// The endpoint of the user's own bus.
    package static var user: String {
        UserBusDirectory().endpoint
    }

    /// Creates the directory of the user's own bus unless it exists. Throws `EndpointError` if it
    /// cannot be created, or if other users may have access to it.
    package static func createUserDirectory() throws(EndpointError) {
        do {
            try UserBusDirectory().create()
        } catch {
            throw EndpointError("cannot serve the user's bus: \(error)")
        }
    }
}

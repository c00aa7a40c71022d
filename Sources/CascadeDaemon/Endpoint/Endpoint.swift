// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The endpoints that one daemon serves, locked against a second one.
struct Endpoint {
    private let socketPaths: [String]
    private let lock: EndpointLock?

    /// Throws ``EndpointError`` if one is not written as ZeroMQ writes them, if its directory is
    /// not there, or if another daemon has it.
    ///
    /// - Parameters:
    ///   - hasKey: whether tcp is served to those only who prove to have a key.
    ///   - allowsPlainTCP: whether it may be served to other machines without.
    init(
        _ endpoints: [String], hasKey: Bool = false, allowsPlainTCP: Bool = false
    ) throws(EndpointError) {
        var paths: [String] = []
        for endpoint in endpoints {
            if endpoint.hasPrefix("ipc://") {
                paths.append(try Self.checked(String(endpoint.dropFirst("ipc://".count))))
            } else if !endpoint.hasPrefix(Self.tcp) {
                throw EndpointError(
                    "cannot serve '\(endpoint)': write ipc:///path/to/socket, "
                        + "or tcp://ADDRESS:PORT")
            } else if !hasKey, !allowsPlainTCP, !Self.isLoopback(endpoint) {
                throw EndpointError(
                    "cannot serve '\(endpoint)' without a key: whoever reaches it could read and "
                        + "say what it likes. Give the bus a key with --curve-key, or ask for it "
                        + "with --allow-plain-tcp")
            }
        }
        socketPaths = paths
        lock = try paths.first.map { path throws(EndpointError) in
            try EndpointLock(socketPath: path)
        }
    }

    /// Whether a daemon has served here before.
    var hasPredecessor: Bool {
        lock?.hasPredecessor ?? false
    }

    /// Takes the sockets away after an orderly end.
    func remove() {
        for path in socketPaths {
            unlink(path)
        }
    }

    static let tcp = "tcp://"

    private static func isLoopback(_ endpoint: String) -> Bool {
        ["tcp://127.", "tcp://[::1]:", "tcp://localhost:"].contains { endpoint.hasPrefix($0) }
    }

    /// The longest path that a unix socket can have (unix(7)).
    private static let pathByteCountMax = 107

    private static func checked(_ path: String) throws(EndpointError) -> String {
        guard path.utf8.count <= pathByteCountMax else {
            throw EndpointError(
                "the socket path '\(path)' has \(path.utf8.count) bytes, "
                    + "more than \(pathByteCountMax)")
        }
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard directory.isEmpty || access(directory, F_OK) == 0 || mkdir(directory, 0o755) == 0
        else {
            throw EndpointError(
                "cannot make the directory \(directory): \(String(cString: strerror(errno)))")
        }
        return path
    }
}

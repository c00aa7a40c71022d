// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A check whether a process serves an ipc endpoint; libzmq itself would retry without end.
enum EndpointProbe {
    private static let scheme = "ipc://"

    /// Throws ``Stop`` if no process serves the endpoint, or this user may not connect.
    static func check(_ endpoint: String) throws {
        try connected(endpoint) { _ in }
    }

    /// Returns the process that opened the listening socket, according to the kernel; `nil` for
    /// other kinds of endpoints. Throws ``Stop`` as ``check(_:)`` does.
    static func listener(_ endpoint: String) throws -> pid_t? {
        try connected(endpoint) { descriptor in
            var userID = uid_t()
            var groupID = gid_t()
            var process = pid_t()
            _ = cascade_peer_credentials(descriptor, &userID, &groupID, &process)
            return process
        }
    }

    /// Calls `body` with a socket that is connected to the endpoint; returns `nil` for other kinds
    /// of endpoints.
    @discardableResult
    private static func connected<Result>(
        _ endpoint: String, _ body: (Int32) -> Result
    ) throws -> Result? {
        guard endpoint.hasPrefix(scheme) else {
            return nil
        }
        let path = String(endpoint.dropFirst(scheme.count))
        let byteCountMax = Int(cascade_unix_path_max)
        guard !path.isEmpty, path.utf8.count <= byteCountMax else {
            throw Stop(
                .usage, "the socket path '\(path)' is empty or over \(byteCountMax) bytes")
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else {
            throw Stop(.failure, "cannot create a socket: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        if cascade_unix_connect(descriptor, path) != 0 {
            throw failure(endpoint, errno)
        }
        return body(descriptor)
    }

    private static func failure(_ endpoint: String, _ error: Int32) -> Stop {
        switch error {
        case ENOENT, ECONNREFUSED:
            .noBus(endpoint)
        case EACCES, EPERM:
            Stop(
                .denied, "no access to the bus at \(endpoint): \(String(cString: strerror(error)))")
        default:
            Stop(.noBus, "no bus at \(endpoint): \(String(cString: strerror(error)))")
        }
    }
}

extension Stop {
    /// Returns the error for an endpoint without a bus, with the commands that start one.
    static func noBus(_ endpoint: String) -> Stop {
        Stop(
            .noBus,
            "no bus at \(endpoint); start one with 'cascaded --listen \(endpoint)', "
                + "or your own with 'cascaded --user'")
    }
}

// SPDX-License-Identifier: Apache-2.0

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
            // Process, user and group, as in `struct ucred`.
            var credentials: [pid_t] = [0, 0, 0]
            var length = socklen_t(MemoryLayout<pid_t>.size * credentials.count)
            let result = getsockopt(
                descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
            return result == 0 ? credentials[0] : 0
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
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !path.isEmpty, path.utf8.count < room else {
            throw Stop(.usage, "the socket path '\(path)' is empty or over \(room - 1) bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else {
            throw Stop(.failure, "cannot create a socket: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let result = withUnsafeBytes(of: &address) { bytes in
            connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        if result != 0 {
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

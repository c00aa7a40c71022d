// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The address of a NATS server.
package struct ServerAddress: Equatable, Sendable, CustomStringConvertible {
    package static let defaultPort: UInt16 = 7_222

    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16 = defaultPort) {
        self.host = host
        self.port = port
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    // MARK: - Steps of dialling

    /// Throws ``ServerError`` with the step that fails: the name, or the connection to each of its
    /// addresses. The library reports both as the absence of a server.
    func probe(timeout: Duration) throws(ServerError) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0, let first = list else {
            throw ServerError(
                .name, "the name '\(host)' has no address: \(String(cString: gai_strerror(result)))"
            )
        }
        defer { freeaddrinfo(first) }
        var reason = ""
        for address in sequence(first: first, next: { $0.pointee.ai_next }) {
            guard let failure = Self.failure(connecting: address.pointee, timeout) else {
                return
            }
            reason = failure
        }
        throw ServerError(.tcp, "cannot connect to \(self): \(reason)")
    }

    /// Returns why a connection is not accepted; `nil` if it is.
    private static func failure(connecting address: addrinfo, _ timeout: Duration) -> String? {
        let descriptor = socket(
            address.ai_family,
            address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
                | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else {
            return String(cString: strerror(errno))
        }
        defer { close(descriptor) }
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 {
            return nil
        }
        guard errno == EINPROGRESS else {
            return String(cString: strerror(errno))
        }
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let milliseconds = timeout.milliseconds
        guard poll(&item, 1, Int32(clamping: milliseconds)) > 0 else {
            return "no answer within \(timeout)"
        }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code == 0 ? nil : String(cString: strerror(code))
    }
}

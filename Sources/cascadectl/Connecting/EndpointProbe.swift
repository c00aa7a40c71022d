// SPDX-License-Identifier: Apache-2.0

import CLinux
import Cascade
import Glibc

/// A test connection to an ipc endpoint. libzmq itself would retry without end.
enum EndpointProbe {
    private static let scheme = "ipc://"

    /// Throws ``Stop`` if no process listens at the endpoint, or this user may not connect.
    static func check(_ endpoint: String) throws {
        try connected(endpoint) { _ in }
    }

    /// Returns the process that opened the listening socket, according to the kernel; `nil` for
    /// endpoints other than ipc. Throws ``Stop`` as ``check(_:)`` does.
    static func listener(_ endpoint: String) throws -> pid_t? {
        try connected(endpoint) { descriptor in
            var userID = uid_t()
            var groupID = gid_t()
            var process = pid_t()
            _ = cascade_peer_credentials(descriptor, &userID, &groupID, &process)
            return process
        }
    }

    /// Calls `body` with a socket that is connected to the endpoint; returns `nil` for endpoints
    /// other than ipc.
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
            throw Stop(.failure, "cannot create a socket: \(ErrorNumber(errno))")
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
                .denied,
                "no access to the bus at \(endpoint): \(ErrorNumber(error)); "
                    + "'cascadectl doctor' shows who has access")
        default:
            Stop(.noBus, "no bus at \(endpoint): \(ErrorNumber(error))")
        }
    }
}

extension Stop {
    /// Returns the error for an endpoint without a daemon, with the commands that start one.
    static func noBus(_ endpoint: String) -> Stop {
        Stop(
            .noBus,
            "no bus at \(endpoint); start one with 'cascaded --listen \(endpoint)', "
                + "or your own with 'cascaded --user'")
    }
}

// MARK: - Listening sockets

/// The listening unix sockets of this machine.
///
/// The process that opened a socket may not be the one that serves it: systemd opens sockets for
/// services.
///
/// Source: proc_pid_net(5), `/proc/net/unix`: number, references, protocol, flags, type, state,
/// inode, path.
struct ListeningSockets {
    /// The flag of a listening socket, `__SO_ACCEPTCON`.
    private static let acceptsConnections: UInt32 = 1 << 16

    private let sockets: [(inode: Substring, path: Substring)]

    /// Reads the kernel's list. Returns `nil` if that fails.
    init?() {
        guard let bytes = try? InputFile(path: "/proc/net/unix").read() else {
            return nil
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        sockets = lines.compactMap { line in
            let columns = line.split(separator: " ", maxSplits: 7)
            guard columns.count == 8, let flags = UInt32(columns[3], radix: 16),
                flags & Self.acceptsConnections != 0
            else {
                return nil
            }
            return (columns[6], columns[7])
        }
    }

    /// Returns the number of sockets at a path. After a new socket took over the path, the old one
    /// may still listen.
    func count(at path: String) -> Int {
        sockets.count { $0.path == path }
    }

    /// Returns whether the process has a descriptor of a socket at the path; `false` if this user
    /// may not see its descriptors.
    func isHeld(_ path: String, by process: pid_t) -> Bool {
        let links = sockets.filter { $0.path == path }.map { "socket:[\($0.inode)]" }
        guard !links.isEmpty, let folder = opendir("/proc/\(process)/fd") else {
            return false
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let target = Self.target(of: "/proc/\(process)/fd/\(name)"), links.contains(target) {
                return true
            }
        }
        return false
    }

    /// Returns what a symbolic link points to, up to 64 bytes.
    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink(link, &buffer, buffer.count)
        guard count > 0 else {
            return nil
        }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

// MARK: - The daemon's process

/// The process that serves an endpoint.
enum DaemonProcess {
    /// Returns the ID of the process. Throws ``Stop`` if the kernel does not confirm `claimed`: the
    /// daemon may be on another machine or in another PID namespace. If systemd opened the socket,
    /// the daemon must have it among its descriptors.
    ///
    /// - Parameter claimed: The process ID that the daemon has sent.
    static func id(behind endpoint: String, claimed: UInt32) throws -> pid_t {
        guard let served = try EndpointProbe.listener(endpoint) else {
            throw Stop(
                .usage, "the bus at \(endpoint) may be on another machine; send SIGHUP to it there")
        }
        if let process = pid_t(exactly: claimed), process > 1, UInt32(served) != claimed,
            ListeningSockets()?.isHeld(
                String(endpoint.dropFirst("ipc://".count)), by: process) == true
        {
            return process
        }
        guard served > 1, UInt32(served) == claimed else {
            throw Stop(
                .failure,
                "the daemon claims to be process \(claimed), but the socket belongs to process "
                    + "\(served); send SIGHUP to the daemon by other means")
        }
        return served
    }

    /// Returns whether the process handles or ignores SIGHUP, which would end it otherwise; `true`
    /// if that is unknown.
    static func survivesHangUp(_ process: pid_t) -> Bool {
        guard let bytes = try? InputFile(path: "/proc/\(process)/status").read() else {
            return true
        }
        let masks = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("SigCgt:") || $0.hasPrefix("SigIgn:") }
            .compactMap { UInt64($0.dropFirst(7).drop(while: \.isWhitespace), radix: 16) }
        return masks.isEmpty || masks.contains { $0 & (1 << UInt64(SIGHUP - 1)) != 0 }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Makes sure that one daemon serves an ipc endpoint: binding alone would steal it from a live one.
///
/// The lock lies beside the socket and stays there when the daemon ends, however it ends. So a
/// daemon that finds it knows that there was one before, and that nodes may be on their way back.
final class EndpointLock: Sendable {
    /// Whether a daemon has served this endpoint before.
    let hasPredecessor: Bool
    private let descriptor: Int32

    /// Throws ``EndpointError`` naming the holder if a live daemon has the endpoint.
    init(socketPath: String) throws(EndpointError) {
        let path = socketPath + ".lock"
        hasPredecessor = access(path, F_OK) == 0
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw EndpointError("cannot open \(path): \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.holder(descriptor)
            close(descriptor)
            throw EndpointError("ipc://\(socketPath) is served by \(holder) already")
        }
        let text = "\(getpid())\n"
        ftruncate(descriptor, 0)
        _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }

    deinit {
        close(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        return text.split(separator: "\n").first.map { "process \($0)" } ?? "another daemon"
    }
}

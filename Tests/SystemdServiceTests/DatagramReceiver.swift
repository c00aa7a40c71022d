// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The service manager's side of the notification socket.
final class DatagramReceiver {
    private let socket: Int32

    init?(_ path: String) {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        if path.hasPrefix("@") {
            address.sun_path.0 = 0
        }
        let length = MemoryLayout<sa_family_t>.size + path.utf8.count
        let result = withUnsafeBytes(of: &address) { bytes in
            bind(
                socket, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(length))
        }
        guard result == 0 else {
            return nil
        }
    }

    deinit {
        close(socket)
    }

    /// Receives the next datagram and the descriptor in it.
    func receive() -> (text: String, descriptor: Int32?)? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        // Length, level and type of the control message, then the descriptor (cmsg(3)).
        var control = [UInt64](repeating: 0, count: 4)
        var count = 0
        var controlCount = 0
        bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    count = recvmsg(socket, &message, 0)
                    controlCount = message.msg_controllen
                }
            }
        }
        guard count >= 0 else {
            return nil
        }
        let descriptor = controlCount >= 20 ? Int32(truncatingIfNeeded: control[2]) : nil
        return (String(decoding: bytes.prefix(count), as: UTF8.self), descriptor)
    }
}

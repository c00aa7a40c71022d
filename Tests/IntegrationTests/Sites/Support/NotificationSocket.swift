// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing

/// A socket that receives notifications as a service manager does.
final class NotificationSocket {
    private let descriptor: Int32
    let path: String

    init(at path: String) throws {
        self.path = path
        descriptor = cascade_datagram_socket()
        try #require(descriptor >= 0 && cascade_unix_bind(descriptor, path) == 0)
    }

    deinit {
        close(descriptor)
    }

    /// Waits for the next notification that contains the words.
    func notification(containing words: String) throws -> String {
        while true {
            try #require(Patience.isReadable(descriptor), "'\(words)' did not arrive")
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            let text = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
            if text.contains(words) {
                return text
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads text files of bounded size.
enum TextFile {
    static func isThere(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    static func read(_ path: String, byteCountMax: Int) throws(TextFileError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TextFileError(reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        return try read(descriptor, byteCountMax: byteCountMax)
    }

    /// Reads the rest of an open file.
    static func read(_ descriptor: Int32, byteCountMax: Int) throws(TextFileError) -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count >= 0 || errno == EINTR else {
                throw TextFileError(reason: String(cString: strerror(errno)))
            }
            guard count != 0 else {
                break
            }
            bytes += part[..<max(count, 0)]
            guard bytes.count <= byteCountMax else {
                throw TextFileError(reason: "it has more than \(byteCountMax) bytes")
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TextFileError(reason: "it is not UTF-8")
        }
        return text
    }
}

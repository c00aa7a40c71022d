// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads files of text, of a bounded size.
enum TextFile {
    static func isThere(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    static func read(_ path: String, byteCountMax: Int) throws(TextFileError) -> String {
        guard let stream = fopen(path, "re") else {
            throw TextFileError(reason: String(cString: strerror(errno)))
        }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&part, 1, part.count, stream)
            bytes += part[..<count]
            guard ferror(stream) == 0 else {
                throw TextFileError(reason: String(cString: strerror(errno)))
            }
            guard bytes.count <= byteCountMax else {
                throw TextFileError(reason: "more than \(byteCountMax) bytes")
            }
            if count == 0 {
                break
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TextFileError(reason: "it is no UTF-8")
        }
        return text
    }
}

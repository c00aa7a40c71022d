// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The size, kind and checksum of a file.
package struct FileSummary: Equatable, Sendable {
    package let byteCount: Int
    package let kind: FileKind
    package let crc32: UInt32

    private static let chunkByteCount = 65_536

    /// Reads the file in chunks, so that its size does not matter. Throws ``SystemCallError``.
    package init(readingFileAt path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SystemCallError("open \(path)")
        }
        defer { close(descriptor) }
        var byteCount = 0
        var sample: [UInt8] = []
        var checksum = CRC32()
        while true {
            let chunk = try Self.chunk(of: descriptor, path)
            guard !chunk.isEmpty else {
                break
            }
            byteCount += chunk.count
            sample += chunk.prefix(FileKind.sampleByteCount - sample.count)
            checksum.update(chunk)
        }
        self.byteCount = byteCount
        kind = FileKind(sample: sample)
        crc32 = checksum.value
    }

    private static func chunk(of descriptor: Int32, _ path: String) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: chunkByteCount) { buffer, count in
            let result = read(descriptor, buffer.baseAddress, buffer.count)
            guard result >= 0 else {
                throw SystemCallError("read \(path)")
            }
            count = result
        }
    }
}

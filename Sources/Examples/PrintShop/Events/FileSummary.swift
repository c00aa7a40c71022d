// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The size, kind and checksum of a file.
package struct FileSummary: Equatable, Sendable {
    package let byteCount: Int
    package let kind: FileKind
    package let crc32: UInt32

    private static let chunkByteCount = 65_536

    /// Reads a file of any size in chunks. Throws ``SystemCallError``.
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

/// The kind of a file, determined by its first bytes and not by its name.
package enum FileKind: String, Codable, Sendable, CaseIterable {
    case pdf
    case png
    case jpeg
    case text
    /// An executable program, which must not be printed.
    case program
    case unknown

    /// Whether the file needs colour.
    package var isPicture: Bool {
        self == .png || self == .jpeg
    }

    /// The number of bytes that determine the kind.
    package static let sampleByteCount = 4096

    private static let signatures: [(kind: FileKind, bytes: [UInt8])] = [
        (.pdf, Array("%PDF-".utf8)),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.jpeg, [0xFF, 0xD8, 0xFF]),
        (.program, [0x7F, 0x45, 0x4C, 0x46]),
    ]

    /// Determines the kind from the beginning of a file.
    package init(sample: some BidirectionalCollection<UInt8>) {
        let signature = Self.signatures.first { sample.starts(with: $0.bytes) }
        self = signature?.kind ?? (Self.isText(sample) ? .text : .unknown)
    }

    /// Returns whether the bytes are UTF-8 without control characters other than those of text. The
    /// last character may be incomplete, because a sample may end anywhere.
    private static func isText(_ sample: some BidirectionalCollection<UInt8>) -> Bool {
        guard !sample.isEmpty, sample.allSatisfy(isOfText) else {
            return false
        }
        return (0...3).contains { cut in
            let (whole, rest) = (sample.dropLast(cut), sample.suffix(cut))
            return !whole.isEmpty && String(validating: whole, as: UTF8.self) != nil
                && rest.first.map { $0 >= 0xC2 } ?? true
        }
    }

    private static func isOfText(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7F : [0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains(byte)
    }
}

/// The CRC-32 checksum of zip and PNG, identical to Python's `zlib.crc32`.
package struct CRC32: Hashable, Sendable {
    private var register: UInt32 = 0xFFFF_FFFF

    /// The remainder of each byte, shifted by eight.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { remainder, _ in
            remainder & 1 == 1 ? (remainder >> 1) ^ 0xEDB8_8320 : remainder >> 1
        }
    }

    package init() {}

    /// Adds bytes to the checksum.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            register = Self.table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ (register >> 8)
        }
    }

    /// The checksum of the bytes so far.
    package var value: UInt32 {
        ~register
    }
}

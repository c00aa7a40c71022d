// SPDX-License-Identifier: Apache-2.0

/// The kind of a file, determined by its first bytes; its name is not trusted.
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

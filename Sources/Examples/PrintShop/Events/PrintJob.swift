// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A request to print a file. It goes up to the first printer that takes it.
package struct PrintJob: Event, Equatable {
    /// The absolute path of the file.
    package let file: String
    package let byteCount: Int
    package let kind: FileKind
    /// The checksum of the file, which shows whether it has changed.
    package let crc32: UInt32
    package let copies: Int

    /// Creates a job for the file as it is now. Throws ``SystemCallError``.
    package init(readingFileAt path: String, copies: Int = 1) throws {
        let summary = try FileSummary(readingFileAt: path)
        file = path
        byteCount = summary.byteCount
        kind = summary.kind
        crc32 = summary.crc32
        self.copies = copies
    }

    /// The file's name without its directory.
    package var title: String {
        file.split(separator: "/").last.map(String.init) ?? file
    }

    /// Reads the whole file. Throws ``FileChanged`` if it differs from the job.
    package func verify() throws {
        let summary = try FileSummary(readingFileAt: file)
        guard summary.crc32 == crc32, summary.byteCount == byteCount else {
            throw FileChanged(
                "\(title) has \(summary.byteCount) bytes with checksum \(summary.crc32), "
                    + "not \(byteCount) with \(crc32)")
        }
    }
}

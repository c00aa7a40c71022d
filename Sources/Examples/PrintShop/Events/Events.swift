// SPDX-License-Identifier: Apache-2.0

import Cascade

/// An event that requests the printing of a file. The first printer that accepts it handles it.
package struct PrintJob: Event, Equatable {
    /// The absolute path of the file.
    package let file: String
    package let byteCount: Int
    package let kind: FileKind
    /// The checksum of the file, by which a printer detects a change.
    package let crc32: UInt32
    package let copies: Int

    /// Creates a job for the current content of a file. Throws ``SystemCallError``.
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

/// A file that differs from its job.
package struct FileChanged: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// An event about a finished job, which the shop's floor handles.
package struct JobPrinted: Event {
    package let printer: String
    package let title: String
    package let byteCount: Int
    package let copies: Int

    package init(_ job: PrintJob, by printer: String) {
        self.printer = printer
        title = job.title
        byteCount = job.byteCount
        copies = job.copies
    }
}

/// A publication with a text for customers. The display that was attached last receives it.
package struct Announcement: Event {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// A publication about a ring at a door, from outside the tree:
/// `cascadectl publish DoorBell '{"door":"back"}'`.
package struct DoorBell: Event {
    package let door: String

    package init(door: String) {
        self.door = door
    }
}

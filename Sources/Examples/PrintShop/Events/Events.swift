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

/// A file that differs from its job.
package struct FileChanged: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A finished job. It goes up from the printer to the shop's floor.
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

/// A text for customers. It is published to the display that was set up last.
package struct Announcement: Event {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// A ring at a door. It comes from outside the tree:
/// `cascadectl publish DoorBell '{"door":"back"}'`.
package struct DoorBell: Event {
    package let door: String

    package init(door: String) {
        self.door = door
    }
}

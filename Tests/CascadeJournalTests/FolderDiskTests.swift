// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeTestSupport
import CascadeWire
import Glibc
import Testing

// A real folder with entries that are not journal files: each is an error that names the entry,
// and none traps or blocks.
@Suite struct FolderDiskTests {
    private static let file = "00000000000000000001.journal"

    private static let fileByteCountMax = 1 << 20

    private func withFolder(_ test: (String) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try test(directory.path)
    }

    private func disk(_ path: String) throws(JournalError) -> FolderDisk {
        try FolderDisk(path, fileByteCountMax: Self.fileByteCountMax) { _, _ throws(JournalError) in
        }
    }

    private func opened(_ path: String) throws -> JournalReport {
        var journal = Journal(disk: try disk(path), reserveByteCountMax: 1 << 16) { 7 }
        return try journal.open()
    }

    @Test func `written records are read after reopening, and the reserve occupies its bytes`()
        throws
    {
        try withFolder { path in
            do {
                var journal = Journal(disk: try disk(path), reserveByteCountMax: 1 << 16) { 7 }
                #expect(try journal.open().fault == nil)
                try journal.write([JournalChange(key: EventID(journal: 1), body: [1, 2, 3])])
            }
            var status = stat()
            #expect(stat(path + "/reserve", &status) == 0)
            #expect(status.st_blocks * 512 >= 1 << 16)
            #expect(try opened(path).records == [[1, 2, 3]])
        }
    }

    @Test func `a folder, a pipe or a link in place of a journal file is an error`() throws {
        try withFolder { path in
            let place = path + "/" + Self.file
            #expect(mkdir(place, 0o700) == 0)
            let folder = #expect(throws: JournalError.self) { try opened(path) }
            #expect(folder?.description.contains(Self.file) == true)
            #expect(rmdir(place) == 0)
            #expect(mkfifo(place, 0o600) == 0)
            let pipe = #expect(throws: JournalError.self) { try opened(path) }
            #expect(pipe?.description.contains("it is not a regular file") == true)
            #expect(unlink(place) == 0)
            #expect(symlink("/etc/passwd", place) == 0)
            #expect(throws: JournalError.self) { try opened(path) }
            #expect(unlink(place) == 0)
            let fault = try opened(path).fault
            #expect(fault == nil)
        }
    }

    @Test(arguments: [Self.fileByteCountMax, Self.fileByteCountMax + 1, 30 << 30])
    func `a file above the limit is an error with both lengths, and one at the limit is read`(
        byteCount: Int
    ) throws {
        try withFolder { path in
            let descriptor = open(path + "/" + Self.file, O_RDWR | O_CREAT, 0o600)
            #expect(ftruncate(descriptor, off_t(byteCount)) == 0)
            close(descriptor)
            guard byteCount > Self.fileByteCountMax else {
                let report = try opened(path)
                #expect(report.droppedByteCount == byteCount)
                return
            }
            let error = #expect(throws: JournalError.self) { try opened(path) }
            let words = error?.description ?? ""
            #expect(
                words.contains("\(byteCount) bytes") && words.contains("(1048576, by the limits"))
        }
    }

    @Test func `a folder in place of the reserve is reported as a fault`() throws {
        try withFolder { path in
            #expect(mkdir(path + "/reserve", 0o700) == 0)
            let fault = try opened(path).fault
            #expect(fault?.contains("reserve") == true)
        }
    }

    @Test func `a folder or file that the check refuses is not read`() throws {
        try withFolder { path in
            _ = try opened(path)
            let doubt = JournalError("not to be believed")
            #expect(throws: doubt) {
                try FolderDisk(path, fileByteCountMax: Self.fileByteCountMax) {
                    _, _ throws(JournalError) in
                    throw doubt
                }
            }
            let disk = try FolderDisk(path, fileByteCountMax: Self.fileByteCountMax) {
                _, place throws(JournalError) in
                guard !place.hasSuffix(".journal") else {
                    throw doubt
                }
            }
            var journal = Journal(disk: disk) { 7 }
            #expect(throws: doubt) { try journal.open() }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestSupport
import PrintShopEvents
import Testing

@Suite struct FileSummaryTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    // One byte less and one more than a chunk, and several chunks, to find bytes counted twice.
    @Test(arguments: [0, 1, 65_535, 65_537, 200_000])
    func `all bytes of a file are read`(byteCount: Int) throws {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var checksum = CRC32()
        checksum.update(bytes)
        let summary = try FileSummary(readingFileAt: directory.write("file", bytes))
        #expect(summary.byteCount == byteCount)
        #expect(summary.crc32 == checksum.value)
        #expect(summary.kind == .unknown)
    }

    @Test func `a missing file throws an error that names it`() {
        let error = #expect(throws: SystemCallError.self) {
            try FileSummary(readingFileAt: "\(directory.path)/missing")
        }
        #expect(error?.description.hasSuffix("/missing: No such file or directory") == true)
    }

    @Test func `a job is valid only while its file is unchanged`() throws {
        let job = try PrintJob(readingFileAt: directory.write("letter", "Dear Ada".utf8))
        #expect(job.title == "letter")
        #expect(job.kind == .text)
        try job.verify()
        try directory.write("letter", "Dear Eve".utf8)
        #expect(throws: FileChanged.self) { try job.verify() }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestSupport
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1))) struct DirectoryWatchTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `files that are written or moved into the directory arrive in order`() async throws {
        let elsewhere = try TemporaryDirectory()
        let watch = try DirectoryWatch(directory.path)
        var arrivals = watch.arrivals.makeAsyncIterator()
        try directory.write("written", [1])
        #expect(await arrivals.next() == "written")
        try FileManager.default.moveItem(
            atPath: elsewhere.write("file", [1]), toPath: "\(directory.path)/grüße")
        #expect(await arrivals.next() == "grüße")
    }

    // Many events come in one read, and a burst comes in several. A file that is open while another
    // test starts a process is closed a moment later, so the order is not fixed.
    @Test func `every file of a burst arrives`() async throws {
        let watch = try DirectoryWatch(directory.path)
        let names = (0..<2_000).map { "file number \($0)" }
        for name in names {
            try directory.write(name, [])
        }
        let arrived = await watch.arrivals.prefix(names.count).reduce(into: []) { $0.append($1) }
        #expect(arrived.sorted() == names.sorted())
    }

    @Test func `the stream ends when the directory is removed`() async throws {
        let watch = try DirectoryWatch(directory.path)
        try FileManager.default.removeItem(atPath: directory.path)
        for await arrival in watch.arrivals {
            Issue.record("\(arrival) arrived")
        }
    }

    @Test func `a missing directory throws an error that names it`() {
        let error = #expect(throws: SystemCallError.self) {
            try DirectoryWatch("\(directory.path)/missing")
        }
        #expect(error?.description.contains("/missing: No such file") == true)
    }
}

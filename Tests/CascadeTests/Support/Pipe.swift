// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A pipe to which a test writes.
final class Pipe: Sendable {
    let reader: Int32
    private let writer: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(writer, bytes, bytes.count)
    }

    func closeWriter() {
        close(writer)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Splits bytes that arrive in chunks into lines.
package struct LineSplitter: ~Copyable {
    private var bytes: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    /// No line ends between `start` and here.
    private var searched = 0

    package init() {}

    package mutating func append(_ chunk: some Collection<UInt8>) {
        bytes.removeSubrange(..<start)
        searched -= start
        start = 0
        bytes += chunk
    }

    /// Takes the next line, without its end; `nil` until there is a whole one.
    package mutating func next() -> String? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        start = end + 1
        searched = start
        return line
    }

    /// Takes what stands behind the last end of a line; `nil` if nothing does.
    package mutating func rest() -> String? {
        defer {
            bytes = []
            start = 0
            searched = 0
        }
        return start == bytes.count ? nil : String(decoding: bytes[start...], as: UTF8.self)
    }
}

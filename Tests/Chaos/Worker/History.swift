// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The history of a process: one line per observation, in a file that is only appended to.
///
/// Each line is written by one call. The kernel has it when the call returns, so a killed process loses
/// none of its lines.
struct History: Sendable {
    private let descriptor: Int32

    init(_ path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        precondition(descriptor >= 0, "cannot open the history \(path)")
    }

    func write(_ words: String) {
        let line = Array("\(Self.microseconds) \(words)\n".utf8)
        let count = Glibc.write(descriptor, line, line.count)
        precondition(count == line.count, "cannot write a whole line of the history")
    }

    /// The time of the machine's monotonic clock, which all processes share.
    static var microseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}

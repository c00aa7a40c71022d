// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// Every request to the daemon is answered, as long as the requester lives.
struct AnswerOracle {
    private struct Asked: Hashable {
        var process: Int
        var request: UInt64
    }

    private struct Open {
        var what: String
        var since: Instant
    }

    private var open: [Asked: Open] = [:]

    mutating func asked(_ request: UInt64, _ what: String, by process: Int, at now: Instant) {
        open[Asked(process: process, request: request)] = Open(what: what, since: now)
    }

    mutating func answered(_ request: UInt64, to process: Int) {
        open[Asked(process: process, request: request)] = nil
    }

    mutating func ended(_ process: Int) {
        open = open.filter { $0.key.process != process }
    }

    /// A request from before `deadline` without an answer.
    func overdue(since deadline: Instant) -> Finding? {
        let overdue = open.filter { $0.value.since < deadline }.min { left, right in
            (left.key.process, left.key.request) < (right.key.process, right.key.request)
        }
        return overdue.map { asked, open in
            Finding(
                "answer",
                "a '\(open.what)' of process \(asked.process) has no answer, number "
                    + "\(asked.request)")
        }
    }
}

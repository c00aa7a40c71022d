// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The responders of a worker's node. Each records its begin, and its verdict before the verdict is sent.
struct Handler: Sendable {
    let depth: Int
    let history: History

    @Environment(\.visit) var visit

    /// Returns a node with the responders.
    func handling(_ node: Node) -> Node {
        let node = node.receive(Job.self) { job in
            begin(job)
            guard depth <= job.depth else {
                end(job, "passed")
                return .notHandled
            }
            work(on: job)
            guard !job.isBroken else {
                end(job, "threw")
                throw Broken()
            }
            end(job, "handled")
            return .handled
        }
        .receive(Tick.self) { tick in
            begin(tick)
            let isHandled = depth <= tick.depth
            end(tick, isHandled ? "handled" : "passed")
            return isHandled ? .handled : .notHandled
        }
        .subscribe(to: Notice.self) { notice in
            begin(notice)
            end(notice, "handled")
        }
        // Errors are handled at the top, so that they visit all nodes below it.
        return depth == 1 ? node.receiveError { _ in .handled } : node
    }

    private func begin(_ work: some Work) {
        let id = visit?.id.description ?? "-"
        let mark = visit?.isRedelivered == true ? "again" : "first"
        history.write("visit \(work.words) \(id) \(mark)")
    }

    private func end(_ work: some Work, _ verdict: String) {
        history.write("\(verdict) \(work.words)")
    }

    /// Blocks for 3 ms at every seventh job, so that other jobs queue, and a job is under way when the
    /// process is killed.
    private func work(on job: Job) {
        guard job.number % 7 == 0 else {
            return
        }
        poll(nil, 0, 3)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession
import Glibc
import ZeroMQ

/// A receiving process of a benchmark. It attaches, reports that it is ready, and counts messages.
struct BenchReceiver: BenchWorker {
    let plan: BenchPlan
    let index: Int
    let endpoint: String

    /// The number of messages received, and the times of the first and last, in nanoseconds.
    struct Tally {
        var received = 0
        var first: UInt64 = 0
        var last: UInt64 = 0
    }

    func run<Connection: WorkerConnection & ~Copyable>(
        _ connection: consuming Connection
    ) throws {
        try connection.open()
        var client = BenchClient(connection)
        try client.attach(try declaration())
        Output.line("ready")
        var tally = Tally()
        var nextSequence: UInt32 = 0
        let isLast = plan.test != .chain || index == plan.depth - 1
        while tally.received < plan.messageCount + plan.warmUpCount {
            try client.wait()
            let now = MonotonicClock.now()
            client.finishAll { payload in
                count(payload, &tally, &nextSequence, now)
                return isLast ? .handled : .passed
            }
        }
        Output.line("\(tally.received) \(tally.first) \(tally.last)")
        while true {
            try client.wait()
            client.finishAll { _ in isLast ? .handled : .passed }
        }
    }

    private func declaration() throws -> NodeDeclaration {
        let name = try EventName(BenchPlan.eventName)
        var declaration = NodeDeclaration(
            path: try NodePath(plan.path(ofReceiver: index)), prefetch: 4096)
        switch plan.test {
        case .fanout: declaration.subscriptions = [name]
        case .chain: declaration.responders = [ResponderDeclaration(.receive, name)]
        case .oneway, .acked, .rtt: declaration.responders = [ResponderDeclaration(.handle, name)]
        }
        return declaration
    }

    /// Counts a message. Repeated messages, and those out of order or of another size, are not
    /// counted; the result shows them as lost.
    private func count(
        _ payload: UnsafeRawBufferPointer, _ tally: inout Tally, _ next: inout UInt32, _ now: UInt64
    ) {
        guard payload.count == plan.size else {
            return
        }
        let sequence = payload.loadUnaligned(as: UInt32.self)
        guard sequence >= next else {
            return
        }
        next = sequence + 1
        tally.received += 1
        tally.last = now
        if tally.first == 0 {
            tally.first = now
        }
    }
}

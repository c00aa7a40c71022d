// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession
import Glibc
import ZeroMQ

/// The sending process of a benchmark. It raises all messages and writes the times that are
/// measured.
struct BenchSender: BenchWorker {
    let plan: BenchPlan
    let endpoint: String

    func run<Connection: WorkerConnection & ~Copyable>(
        _ connection: consuming Connection
    ) throws {
        try connection.open()
        var client = BenchClient(connection)
        try client.attach(NodeDeclaration(path: try NodePath(plan.senderPath)))
        Output.line("ready")
        switch plan.test {
        case .oneway, .fanout: try sendUnacknowledged(&client)
        case .acked: try sendWindow(&client)
        case .rtt, .chain: try sendOneByOne(&client)
        }
        // Keeps the connection open while the receivers count. The benchmark ends this process.
        while true {
            try client.wait()
        }
    }

    private func raiseOptions(_ flags: HeaderFlags) throws -> RaiseOptions {
        RaiseOptions(
            plan.test == .fanout ? .down(.all) : .up,
            from: .node(try NodePath(plan.senderPath)), flags: flags)
    }

    private func message() throws -> Raising {
        Raising(
            name: try EventName(BenchPlan.eventName),
            payload: [UInt8](repeating: 0, count: plan.size),
            contentType: nil)
    }

    /// Writes the sequence number of a message into its payload.
    private func stamp(_ sequence: Int, on message: inout Raising) {
        message.payload.withUnsafeMutableBytes {
            $0.storeBytes(of: UInt32(sequence), as: UInt32.self)
        }
    }

    private func sendUnacknowledged<Connection: WorkerConnection & ~Copyable>(
        _ client: inout BenchClient<Connection>
    ) throws {
        let raiseOptions = try raiseOptions(.unacknowledged)
        var message = try message()
        for sequence in 0..<plan.messageCount {
            while !client.canRaise {
                try client.wait()
            }
            stamp(sequence, on: &message)
            try client.raise(message, raiseOptions)
        }
    }

    /// Sends messages while outcomes are awaited, up to the window. Writes the times of the
    /// beginning and the end.
    private func sendWindow<Connection: WorkerConnection & ~Copyable>(
        _ client: inout BenchClient<Connection>
    ) throws {
        let raiseOptions = try raiseOptions(plan.isDurable ? .durable : [])
        var message = try message()
        var sent = 0
        let start = MonotonicClock.now()
        while client.endedCount < plan.messageCount {
            while sent < plan.messageCount, sent - client.endedCount < plan.window,
                client.canRaise
            {
                stamp(sent, on: &message)
                try client.raise(message, raiseOptions)
                sent += 1
            }
            try client.wait()
        }
        Output.line("\(start) \(MonotonicClock.now())")
    }

    /// Sends each message after the outcome of the previous one. Writes the median and the 99th
    /// percentile of the round-trip times.
    private func sendOneByOne<Connection: WorkerConnection & ~Copyable>(
        _ client: inout BenchClient<Connection>
    ) throws {
        let raiseOptions = try raiseOptions(plan.isDurable ? .durable : [])
        var message = try message()
        var samples: [UInt64] = []
        for sequence in 0..<(plan.warmUpCount + plan.messageCount) {
            let start = MonotonicClock.now()
            stamp(sequence, on: &message)
            try client.raise(message, raiseOptions)
            while client.endedCount == sequence {
                try client.wait()
            }
            guard client.lastOutcome == .handled else {
                Output.diagnostic("bench: event \(sequence) ended \(client.lastOutcome)")
                exit(1)
            }
            if sequence >= plan.warmUpCount {
                samples.append(MonotonicClock.now() - start)
            }
        }
        samples.sort()
        Output.line("\(samples[samples.count / 2]) \(samples[samples.count * 99 / 100])")
    }
}

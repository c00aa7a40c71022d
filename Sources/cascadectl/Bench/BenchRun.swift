// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The run of a benchmark: its processes, and the computation of the result.
struct BenchRun {
    let plan: BenchPlan
    let endpoint: String
    /// Whether the bus was started for the benchmark.
    let isOwnBus: Bool
    let program: String
    let interruption: SignalPipe

    /// The result of a benchmark.
    enum Result {
        case rate(perSecond: Double, lost: Int)
        case times(median: Double, p99: Double)

        /// The JSON line for scripts.
        var json: String {
            switch self {
            case .rate(let perSecond, let lost):
                "{\"msgs_per_s\": \(Int(perSecond)), \"lost\": \(lost)}"
            case .times(let median, let p99):
                "{\"median_us\": \(median / 1000), \"p99_us\": \(p99 / 1000)}"
            }
        }
    }

    /// The time limit for progress, in milliseconds.
    private static let patience: Int32 = 60_000

    /// Runs the benchmark. When it returns, its processes have ended and its nodes have left the
    /// bus.
    func run() async throws -> Result {
        var processes: [(process: BenchProcess, path: NodePath)] = []
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try measure(&processes))
        } catch {
            result = .failure(error)
        }
        await end(processes)
        return try result.get()
    }

    private func measure(
        _ processes: inout [(process: BenchProcess, path: NodePath)]
    ) throws -> Result {
        for index in (0..<plan.receiverCount).reversed() {
            let path = try NodePath(plan.path(ofReceiver: index))
            processes.append(
                (
                    try BenchProcess(role("receiver") + ["--index", "\(index)"], interruption),
                    path
                ))
        }
        let receivers = processes.map(\.process)
        for receiver in receivers {
            try receiver.waitUntilReady(withinMilliseconds: Self.patience)
        }
        let sender = try BenchProcess(role("sender"), interruption)
        processes.append((sender, try NodePath(plan.senderPath)))
        try sender.waitUntilReady(withinMilliseconds: Self.patience)
        switch plan.test {
        case .oneway, .fanout: return try rateOfReceipt(receivers)
        case .acked: return try rateOfOutcomes(sender)
        case .rtt, .chain: return try times(sender)
        }
    }

    private func end(_ processes: [(process: BenchProcess, path: NodePath)]) async {
        let early = processes.filter { !$0.process.isReady }
        let ready = processes.filter { $0.process.isReady }
        for (process, _) in early {
            process.stop(SIGKILL)
        }
        if !isOwnBus {
            let nodes = BenchNodes(endpoint: endpoint)
            await nodes.leave(ready.map(\.path))
            await nodes.leaveLost(early.map(\.path))
        }
        for (process, _) in ready {
            process.stop(SIGKILL)
        }
    }

    private func role(_ name: String) -> [String] {
        [program, "bench-\(name)"] + plan.arguments + ["--bus", endpoint]
    }

    private func numbers(of process: BenchProcess) throws -> [Double] {
        let line = try process.line(withinMilliseconds: Self.patience)
        return line.split(separator: " ").compactMap { Double($0) }
    }

    /// Returns the rate of messages per second, from the first receipt anywhere to the last.
    private func rateOfReceipt(_ receivers: [BenchProcess]) throws -> Result {
        let tallies = try receivers.map { try numbers(of: $0) }
        let received = tallies.reduce(0) { $0 + $1[0] }
        let first = tallies.map { $0[1] }.min() ?? 0
        let last = tallies.map { $0[2] }.max() ?? 0
        return .rate(
            perSecond: (received - 1) * 1e9 / max(last - first, 1),
            lost: plan.messageCount * receivers.count - Int(received))
    }

    private func rateOfOutcomes(_ sender: BenchProcess) throws -> Result {
        let times = try numbers(of: sender)
        return .rate(perSecond: Double(plan.messageCount) * 1e9 / (times[1] - times[0]), lost: 0)
    }

    private func times(_ sender: BenchProcess) throws -> Result {
        let times = try numbers(of: sender)
        return .times(median: times[0], p99: times[1])
    }
}

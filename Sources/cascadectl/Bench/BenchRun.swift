// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import Glibc

/// One run of a benchmark, which starts its processes and computes the result from their output.
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
        /// Round-trip times in nanoseconds.
        case times(median: Double, p99: Double)

        /// The JSON line for scripts.
        func json(_ regime: SchedulerRegime) -> String {
            let figures =
                switch self {
                case .rate(let perSecond, let lost):
                    "\"msgs_per_s\": \(Int(perSecond)), \"lost\": \(lost)"
                case .times(let median, let p99):
                    "\"median_us\": \(median / 1000), \"p99_us\": \(p99 / 1000)"
                }
            return "{\(figures), \"scheduler\": \"\(regime)\"}"
        }
    }

    /// The time, in milliseconds, within which a process must write a line.
    private static let lineMilliseconds: Int32 = 60_000

    /// Runs the benchmark. When the function returns or throws, the processes have ended and their
    /// nodes have left the bus.
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
            try receiver.waitUntilReady(withinMilliseconds: Self.lineMilliseconds)
        }
        let sender = try BenchProcess(role("sender"), interruption)
        processes.append((sender, try NodePath(plan.senderPath)))
        try sender.waitUntilReady(withinMilliseconds: Self.lineMilliseconds)
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

    /// Returns the arguments of a process.
    private func role(_ name: String) -> [String] {
        [program, "bench-\(name)"] + plan.arguments + ["--bus", endpoint]
    }

    /// Returns the numbers in the next line of a process.
    private func numbers(of process: BenchProcess) throws -> [Double] {
        let line = try process.line(withinMilliseconds: Self.lineMilliseconds)
        return line.split(separator: " ").compactMap { Double($0) }
    }

    /// Returns the messages per second, from the first that any receiver counted to the last.
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

// MARK: - Nodes

/// The nodes that the processes of a benchmark have attached to an existing bus.
///
/// A signal ends these processes. The bus would treat their nodes as lost and keep the places for
/// the grace time, so the benchmark takes over the places and then leaves.
struct BenchNodes {
    let endpoint: String

    private static let limit = TimeSpan(milliseconds: 10_000)

    /// Takes nodes of running benchmark processes out of the tree.
    func leave(_ paths: [NodePath]) async {
        guard !paths.isEmpty else {
            return
        }
        await leave(paths, takesOver: true)
    }

    /// Takes nodes of processes that have ended out of the tree; nodes of other sessions stay.
    func leaveLost(_ paths: [NodePath]) async {
        for path in paths {
            await leave([path], takesOver: false)
        }
    }

    private func leave(_ paths: [NodePath], takesOver: Bool) async {
        // Nodes below others first: the bus keeps a place for as long as a node is below it.
        let ordered = paths.sorted { $0.components.count > $1.components.count }
        do {
            let options = try BusOptions.parse(["--bus", endpoint])
            try await options.withBus(limit: Self.limit, isFinal: true) { bus in
                try await bus.link.attach(
                    ordered.map { NodeDeclaration(path: $0, takesOver: takesOver) }, names: [])
                try await bus.link.leave()
            }
        } catch {
            if takesOver {
                let message = Stop(error)?.message ?? "\(error)"
                Output.diagnostic("bench: the nodes stay for the grace time: \(message)")
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Glibc

/// A benchmark of the broker alone, without sockets, threads or a clock of its own.
///
/// `broker-benchmark [WORK] [COUNT]`. Under an instruction counter, it measures the cost of an event
/// independently of the machine's load.
@main
struct BrokerBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let count = arguments.dropFirst().first.flatMap { Int($0) }
        switch arguments.first {
        case "emit": try measure("emit", count ?? 2_000_000, depth: 1, .unacknowledged)
        case "acked": try measure("acked", count ?? 1_000_000, depth: 1, [])
        case "parse": try measureParse(count ?? 10_000_000)
        case "deep": try measure("depth 1,000", count ?? 1_000_000, depth: 1_000, [])
        case "fanout": try measureFanout(count ?? 100_000)
        case "nodes": try measureNodes(count ?? 1_000_000)
        case "leave": try measureLeave(count ?? 10_000)
        case "environment": try EnvironmentBenchmark.measure(nodes: count ?? 10_000)
        case "queries": try QueryBenchmark.measure(nodes: count ?? 10_000)
        case nil: try measureAll()
        default:
            print(
                "usage: broker-benchmark "
                    + "[emit|acked|parse|deep|fanout|nodes|leave|environment|queries] [COUNT]")
        }
    }

    private static func measureAll() throws {
        try measure("emit", 2_000_000, depth: 1, .unacknowledged)
        try measure("acked", 1_000_000, depth: 1, [])
        try measure("depth 1,000", 1_000_000, depth: 1_000, [])
        try measureParse(10_000_000)
        try measureFanout(100_000)
        try measureNodes(1_000_000)
        try measureLeave(10_000)
        try EnvironmentBenchmark.measure(nodes: 10_000)
        try QueryBenchmark.measure(nodes: 10_000)
    }

    /// Measures events from `depth` levels below the only node that handles them.
    private static func measure(
        _ label: String, _ count: Int, depth: Int, _ flags: HeaderFlags
    ) throws {
        var bus = try BenchmarkBus()
        let top = try bus.attach("/top", handles: "Bench")
        let between = String(repeating: "/n", count: depth - 1)
        let origin = try bus.attach("/top\(between)/origin")
        let start = now()
        for _ in 0..<count {
            bus.trigger(from: origin, flags)
            if flags.isEmpty {
                bus.answer(by: top)
            } else {
                bus.returnCredit(of: top)
            }
        }
        report(label, count, "events", now() - start)
    }

    /// Measures the parsing of a header, which is part of the cost of each message.
    private static func measureParse(_ count: Int) throws {
        var bus = try BenchmarkBus()
        let start = now()
        for _ in 0..<count {
            try bus.parse()
        }
        report("parse", count, "headers", now() - start)
    }

    private static func measureFanout(_ count: Int) throws {
        var bus = try BenchmarkBus()
        let publisher = try bus.attach("/bench")
        let receivers = try (0..<16).map { index in
            try bus.attach("/bench/receiver\(index)", subscribes: "Bench")
        }
        let start = now()
        for _ in 0..<count {
            bus.publish(from: publisher)
            for receiver in receivers {
                bus.returnCredit(of: receiver)
            }
        }
        report("fanout 16", count * 16, "deliveries", now() - start)
    }

    private static func measureNodes(_ count: Int) throws {
        let before = residentBytes()
        var bus = try BenchmarkBus()
        let start = now()
        for index in 0..<count {
            _ = try bus.attach(
                "/b\(index % 1000)/n\(index)", handles: index % 2 == 0 ? "Bench" : nil)
        }
        report("attach", count, "nodes", now() - start)
        print("memory: \((residentBytes() - before) / count) bytes a node")
    }

    /// Measures nodes that leave while a thousand other peers are connected.
    private static func measureLeave(_ count: Int) throws {
        var bus = try BenchmarkBus()
        bus.connect(1_000)
        let nodes = try (0..<count).map { try bus.attach("/n\($0)", handles: "Bench") }
        let start = now()
        var last: PeerID?
        for node in nodes where node.peer != last {
            bus.leave(node.peer)
            last = node.peer
        }
        report("leave, 1,000 peers", count, "nodes", now() - start)
    }

    private static func report(_ label: String, _ count: Int, _ unit: String, _ elapsed: UInt64) {
        print("\(label): \(UInt64(count) * 1_000_000_000 / max(elapsed, 1)) \(unit)/s")
    }

    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    static func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "re") else {
            return 0
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        fgets(&line, Int32(line.count), file)
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}

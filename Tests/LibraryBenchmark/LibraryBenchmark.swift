// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc
import Synchronization

/// A benchmark of the library: the round trip of an event between two Swift workers in separate processes.
/// `cascadectl bench rtt` measures the same without the library's tasks.
///
/// `CASCADE_BUS=ENDPOINT library-benchmark [thread] [COUNT]`, on a running bus. With `thread`, both nodes
/// run on the threads of their sessions. With `reads` instead, it measures reads of environment values.
@main
struct LibraryBenchmark {
    private struct Ping: Event {
        let number: Int
    }

    private static let handlerArgument = "handler"
    private static let threadArgument = "thread"
    private static let readsArgument = "reads"

    static func main() async throws {
        let argument = CommandLine.arguments.dropFirst().first
        if argument == handlerArgument {
            try await handle(onThread: CommandLine.arguments.count > 2)
        } else if argument == readsArgument {
            try await ReadBenchmark.run()
        } else {
            let isOnThread = argument == threadArgument
            let handler = try startHandler(onThread: isOnThread)
            defer { kill(handler, SIGTERM) }
            let count = isOnThread ? CommandLine.arguments.dropFirst(2).first : argument
            let samples = try await measure(
                count.flatMap { Int($0) } ?? 20_000, onThread: isOnThread)
            report(samples.sorted())
        }
    }

    /// Runs the node that handles the events.
    private static func handle(onThread: Bool) async throws {
        try await WorkerProcess(mount: "/") {
            Node("bench").handle(Ping.self) { _ in }.runsOnSessionThread(onThread)
        }.run()
    }

    private static func startHandler(onThread: Bool) throws -> pid_t {
        var process = pid_t()
        var arguments = [strdup(CommandLine.arguments[0]), strdup(handlerArgument)]
        arguments += onThread ? [strdup(threadArgument), nil] : [nil]
        guard posix_spawn(&process, "/proc/self/exe", nil, nil, arguments, environ) == 0 else {
            throw CancellationError()
        }
        return process
    }

    /// Returns the times of `count` consecutive round trips, in nanoseconds.
    private static func measure(_ count: Int, onThread isOnThread: Bool) async throws -> [UInt64] {
        let samples = Mutex<[UInt64]>([])
        let (done, continuation) = AsyncStream<Void>.makeStream()
        let origin = Node("origin").runsOnSessionThread(isOnThread).task {
            try await trigger(count) { sample in samples.withLock { $0.append(sample) } }
            continuation.finish()
        }
        try await WorkerProcess(mount: "/bench") { origin }.run {
            for await _ in done {}
        }
        return samples.withLock { $0 }
    }

    /// Triggers events, and calls `record` with the time of each round trip after the warm-up.
    private static func trigger(_ count: Int, _ record: (UInt64) -> Void) async throws {
        @Environment(\.triggerEvent) var triggerEvent
        var handledCount = 0
        // The handler may not be attached at first. The first 1,000 round trips are the warm-up.
        while handledCount < count + 1_000 {
            let start = now()
            guard case .handled = try await triggerEvent(Ping(number: handledCount)).outcome else {
                continue
            }
            handledCount += 1
            if handledCount > 1_000 {
                record(now() - start)
            }
        }
    }

    private static func report(_ samples: [UInt64]) {
        let median = Double(samples[samples.count / 2] / 10) / 100
        let late = Double(samples[samples.count * 99 / 100] / 10) / 100
        print("library-rtt: median \(median) µs, p99 \(late) µs")
    }

    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

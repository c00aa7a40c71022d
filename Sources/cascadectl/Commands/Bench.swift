// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import Glibc

/// Measures a bus with real processes.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure a bus with real processes.",
        discussion: """
            Without --bus, a temporary daemon runs for the benchmark. On another bus, the \
            benchmark's nodes are detached at the end, even after an interruption. The last line \
            is JSON: messages per second and the number of lost ones, or the median and the 99th \
            percentile of the round-trip time in microseconds; and the processors that the \
            benchmark may use, because a wake-up across processors takes several times as long as \
            one on the same processor.

            Example: cascadectl bench rtt --count 10000
            """)

    @OptionGroup var options: BenchOptions

    @Option(
        help: ArgumentHelp(
            "Endpoint of the bus to measure; otherwise a temporary bus.", valueName: "endpoint"))
    var bus: String?

    @Option(
        help: ArgumentHelp(
            "Time for which the daemon of a temporary bus polls before it sleeps, in microseconds.",
            valueName: "microseconds"))
    var spin = 0

    @Flag(help: "Only the JSON line as output.")
    var json = false

    func run() async throws {
        let program = try Self.program()
        do {
            // After a signal the benchmark still ends its processes and takes its nodes out of the
            // tree.
            let interruption = try SignalPipe([SIGINT, SIGTERM, SIGHUP])
            guard let bus else {
                let own = try PrivateBus(
                    program: program, spinMicroseconds: spin, keepsDurable: options.durable,
                    interruption)
                defer { own.stop() }
                try await measure(
                    BenchRun(
                        plan: options.plan, endpoint: own.endpoint, isOwnBus: true,
                        program: program, interruption: interruption))
                return
            }
            try await measure(
                BenchRun(
                    plan: options.plan, endpoint: bus, isOwnBus: false, program: program,
                    interruption: interruption))
        } catch let error as BenchError {
            Output.diagnostic("bench: \(error)")
            throw ExitCode(1)
        } catch is BenchInterrupted {
            throw Stop(.interrupted)
        }
    }

    private func measure(_ run: BenchRun) async throws {
        let regime = SchedulerRegime.current
        let result = try await run.run()
        if !json {
            Output.line(
                """
                \(options.test.rawValue): \(options.messageCount) times \(options.size) bytes, \
                scheduler: \(regime)
                """
            )
        }
        Output.line(result.json(regime))
    }

    /// Returns the path of this program.
    private static func program() throws -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else {
            throw BenchError("cannot find this program: \(ErrorNumber(errno))")
        }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// MARK: - The benchmark's processes

/// The receiving process of a benchmark.
struct BenchReceive: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-receiver", shouldDisplay: false)

    @OptionGroup var options: BenchOptions
    @Option var index: Int
    @Option var bus: String

    func run() throws {
        try BenchReceiver(plan: options.plan, index: index, endpoint: bus).run()
    }
}

/// The sending process of a benchmark.
struct BenchSend: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-sender", shouldDisplay: false)

    @OptionGroup var options: BenchOptions
    @Option var bus: String

    func run() throws {
        try BenchSender(plan: options.plan, endpoint: bus).run()
    }
}

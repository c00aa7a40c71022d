// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeSimulator
import Glibc

/// Runs seeds, as many at a time as there are processors.
@main
struct CascadeSimulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascade-simulate",
        abstract: "Look for broken promises of the bus, in simulated time.",
        discussion: """
            Each seed determines a bus, its processes, what they do and what breaks. What must \
            hold all the same is checked throughout; a seed for which it does not is shown \
            with what \
            happened last and the command that runs it again. Exit status 1 says that there is one.
            """)

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "How many seeds, one after the other.")
    var count = 1

    @Option(help: "How often somebody does something, or something breaks, in each run.")
    var ticks = SimulationOptions.defaultTicks

    @Option(help: "Plant a bug, which should be found.")
    var bug: PlantedBug?

    @Option(help: "How many seeds run at a time; one for each processor if not given.")
    var jobs: Int?

    @Flag(help: "Show everything that happens.")
    var history = false

    func validate() throws {
        guard count >= 1, ticks >= 1, jobs ?? 1 >= 1 else {
            throw ValidationError("--count, --ticks and --jobs are at least 1")
        }
        guard UInt64.max - seed >= UInt64(count) else {
            throw ValidationError("--seed is too great for so many seeds")
        }
    }

    func run() async throws {
        let start = ContinuousClock.now
        var summary = Summary()
        var progress = ProgressBar(total: count)
        if count == 1 {
            print("seed \(seed)")
        }
        await withTaskGroup(of: SimulationReport.self) { group in
            var next = 0
            for _ in 0..<min(count, jobs ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) {
                begin(&next, in: &group)
            }
            while let report = await group.next() {
                begin(&next, in: &group)
                progress.clear()
                show(report)
                summary.add(report)
                progress.show(summary)
            }
        }
        progress.clear()
        print(summary.text(elapsed: ContinuousClock.now - start))
        if summary.failedCount > 0 {
            throw ExitCode(1)
        }
    }

    private func begin(_ next: inout Int, in group: inout TaskGroup<SimulationReport>) {
        guard next < count else {
            return
        }
        var options = SimulationOptions(seed: seed + UInt64(next), ticks: ticks, bug: bug)
        options.keepsHistory = history
        next += 1
        group.addTask { SimulationReport.of(options) }
    }

    private func show(_ report: SimulationReport) {
        if count == 1 {
            print(report.plan)
        }
        for line in report.history where history {
            print(line)
        }
        if !report.findings.isEmpty {
            print(report.explanation)
        }
    }
}

extension PlantedBug: ExpressibleByArgument {}

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
            hold all the same is checked throughout. A seed under which it does not is run again, \
            as short as it still fails, and shown with what was found, what happened last around \
            it, and the command that runs it once more. Exit status 1 says that there is one.

            cascade-simulate --seeds 1000         # seeds that nobody has seen
            cascade-simulate --seed 35 --history  # everything that happens under one seed
            cascade-simulate --planted            # are planted bugs found?
            """)

    @Option(
        help: ArgumentHelp(
            "The first seed; one that nobody has seen if not given.", valueName: "number"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("How many seeds, one after the other.", valueName: "count"))
    var seeds = 1

    @Option(
        help: ArgumentHelp(
            "How often somebody does something, or something breaks, in each run.",
            valueName: "count"))
    var ticks = SimulationOptions.defaultTicks

    @Option(help: "Plant a bug, which should be found.")
    var bug: PlantedBug?

    @Option(
        help: ArgumentHelp(
            "How many seeds run at a time; one for each processor if not given.",
            valueName: "count"))
    var jobs: Int?

    @Flag(help: "Show everything that happens.")
    var history = false

    @Flag(help: "Plant every bug there is, one after the other, each until it is found.")
    var planted = false

    /// So many seeds each planted bug gets.
    private static let plantedSeedsMax = 1000

    func validate() throws {
        guard seeds >= 1, ticks >= 1, jobs ?? 1 >= 1 else {
            throw ValidationError("--seeds, --ticks and --jobs are at least 1")
        }
        guard UInt64.max - (seed ?? 0) >= UInt64(max(seeds, Self.plantedSeedsMax)) else {
            throw ValidationError("--seed is too great for so many seeds")
        }
    }

    func run() async throws {
        if planted {
            let bugs = PlantedBugs(
                firstSeed: seed ?? 1, seedsMax: Self.plantedSeedsMax, ticks: ticks)
            guard await bugs.find() else {
                throw ExitCode(1)
            }
            return
        }
        // Below the greatest, so that as many as anybody wants come after it.
        try await run(from: seed ?? .random(in: 1...(1 << 62)))
    }

    private func run(from first: UInt64) async throws {
        let start = ContinuousClock.now
        var summary = Summary()
        var progress = ProgressBar(total: seeds)
        print(seeds == 1 ? "seed \(first)" : "seeds \(first) to \(first + UInt64(seeds) - 1)")
        await withTaskGroup(of: SimulationReport.self) { group in
            var next = 0
            for _ in 0..<min(seeds, jobs ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) {
                begin(&next, from: first, in: &group)
            }
            while let report = await group.next() {
                begin(&next, from: first, in: &group)
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

    private func begin(
        _ next: inout Int, from first: UInt64, in group: inout TaskGroup<SimulationReport>
    ) {
        guard next < seeds else {
            return
        }
        var options = SimulationOptions(seed: first + UInt64(next), ticks: ticks, bug: bug)
        options.keepsHistory = history
        next += 1
        group.addTask { SimulationReport.of(options) }
    }

    private func show(_ report: SimulationReport) {
        if seeds == 1 {
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

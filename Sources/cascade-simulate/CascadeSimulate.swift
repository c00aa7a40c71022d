// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeSimulator
import Glibc

/// The program `cascade-simulate`. It runs seeds in parallel, one per processor by default.
@main
struct CascadeSimulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascade-simulate",
        abstract: "Checks the promises of the bus in simulated time.",
        discussion: """
            Each seed determines a bus, its processes, their workload and the faults. Oracles \
            check the promises of the bus throughout. A seed with a finding is run again with the \
            fewest ticks that still fail. Its findings are printed with the last events around the \
            first one, and with the command that repeats the run; the exit status is then 1.

            cascade-simulate --seeds 1000         # new random seeds
            cascade-simulate --seed 35 --history  # the history of one seed
            cascade-simulate --planted            # checks that planted bugs are found
            """)

    @Option(
        help: ArgumentHelp(
            "First seed; a random one by default.", valueName: "number"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("Number of consecutive seeds to run.", valueName: "count"))
    var seeds = 1

    @Option(
        help: ArgumentHelp(
            "Steps of workload and faults in each run.",
            valueName: "count"))
    var ticks = SimulationOptions.defaultTicks

    @Option(help: "Bug to plant; its oracle should find it.")
    var bug: PlantedBug?

    @Option(
        help: ArgumentHelp(
            "Seeds run at a time; one per processor by default.",
            valueName: "count"))
    var jobs: Int?

    @Flag(help: "Show the whole history.")
    var history = false

    @Flag(help: "Plant each bug in turn until its oracle finds it.")
    var planted = false

    /// The maximum number of seeds that are tried with each planted bug.
    private static let plantedSeedsMax = 1000

    func validate() throws {
        guard seeds >= 1, ticks >= 1, jobs ?? 1 >= 1 else {
            throw ValidationError("--seeds, --ticks and --jobs are at least 1")
        }
        guard UInt64.max - (seed ?? 0) >= UInt64(max(seeds, Self.plantedSeedsMax)) else {
            throw ValidationError("--seed is too large for this number of seeds")
        }
    }

    func run() async throws {
        if planted {
            let bugs = PlantedBugs(
                firstSeed: seed ?? 1, seedsMax: Self.plantedSeedsMax, ticks: ticks)
            guard await bugs.areAllFound() else {
                throw ExitCode(1)
            }
            return
        }
        // The range leaves room for the seeds after the first one.
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

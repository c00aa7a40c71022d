// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeWire
import Glibc
import Subprocess

/// A check of the daemon's answers and of its process.
struct DaemonExamination: Sendable {
    let options: BusOptions

    /// The time limit for an answer.
    private static let answerLimit = TimeSpan(milliseconds: 5_000)
    /// The duration of an answer above which the daemon or the machine is considered overloaded.
    private static let promptMicroseconds = 250_000
    /// The limit of descriptors below which a single faulty program could use up all of them.
    private static let descriptorsMin = 4_096

    /// Returns the findings about the daemon, or a single one if no daemon answers.
    func diagnoses() async -> [Diagnosis] {
        do {
            return try await options.withBus(limit: Self.answerLimit) { bus in
                let start = ContinuousClock.now
                let tree = try TreeAnswer(
                    parsing: try await bus.link.query(.tree(path: .root, depth: .max)))
                let elapsed = Int((ContinuousClock.now - start).wholeMicroseconds)
                var found = [
                    answer(elapsed, nodes: tree.nodes.count { !$0.path.isRoot }),
                    release(bus.welcome),
                ]
                found += process(bus)
                found.append(await UnitExamination().diagnosis(tree))
                found += await SiteExamination(bus: bus).diagnoses()
                return found
            }
        } catch {
            let message = Stop(error)?.message ?? "\(error)"
            return [Diagnosis("daemon", .bad, message)]
        }
    }

    private func answer(_ microseconds: Int, nodes: Int) -> Diagnosis {
        let facts =
            "answered in \(Age.milliseconds(UInt32(clamping: microseconds))), "
            + "\(nodes) \(nodes == 1 ? "node" : "nodes")"
        return microseconds <= Self.promptMicroseconds
            ? Diagnosis("daemon", .good, facts)
            : Diagnosis("daemon", .doubtful, "\(facts): the daemon or this machine is overloaded")
    }

    private func release(_ welcome: Welcome) -> Diagnosis {
        // Both names of a release end with the version.
        let numbers = [welcome.release, Release.name].map { $0.split(separator: " ").last }
        let facts = "\(welcome.release), \(Release.name), protocol \(welcome.version)"
        return numbers[0] == numbers[1]
            ? Diagnosis("release", .good, facts)
            : Diagnosis(
                "release", .doubtful, "\(facts): after an upgrade, restart the daemon")
    }

    private func process(_ bus: Bus) -> [Diagnosis] {
        let process: pid_t
        do {
            process = try DaemonProcess.id(behind: bus.endpoint, claimed: bus.welcome.processID)
        } catch {
            let message = Stop(error)?.message ?? "\(error)"
            return [Diagnosis("process", .unknown, message)]
        }
        return [
            Diagnosis("process", .good, "process \(process) serves the socket"),
            descriptors(process),
        ]
    }

    private func descriptors(_ process: pid_t) -> Diagnosis {
        guard let bytes = try? InputFile(path: "/proc/\(process)/limits").read(),
            let limit = ProcessLimits(text: String(decoding: bytes, as: UTF8.self)).openFiles
        else {
            return Diagnosis("descriptors", .unknown, "the daemon's limits cannot be read")
        }
        return limit >= Self.descriptorsMin
            ? Diagnosis("descriptors", .good, "the daemon may have \(limit) open files")
            : Diagnosis(
                "descriptors", .doubtful,
                "the daemon may have only \(limit) open files, one or more for each process; "
                    + "set LimitNOFILE=131072 in its unit")
    }
}

/// The limits of a process.
///
/// Source: proc_pid_limits(5).
struct ProcessLimits {
    /// The soft limit of open descriptors; `Int.max` without a limit, `nil` if it is missing.
    let openFiles: Int?

    init(text: String) {
        let name = "Max open files"
        openFiles = text.split(separator: "\n").first { $0.hasPrefix(name) }.flatMap { line in
            line.dropFirst(name.count).split(separator: " ").first.flatMap { soft in
                soft == "unlimited" ? Int.max : Int(soft)
            }
        }
    }
}

// MARK: - Units

/// A comparison of the workers that systemd runs with the attached nodes.
struct UnitExamination: Sendable {
    private static let pattern = "cascade-worker@*.service"
    private static let outputByteCountMax = 1 << 20

    func diagnosis(_ tree: TreeAnswer) async -> Diagnosis {
        let arguments = [
            "list-units", "--no-legend", "--plain", "--no-pager", "--state=active", Self.pattern,
        ]
        guard
            let result = try? await Subprocess.run(
                .name("systemctl"), arguments: Arguments(arguments),
                output: .string(limit: Self.outputByteCountMax), error: .discarded),
            result.terminationStatus == .exited(0)
        else {
            return Diagnosis("units", .unknown, "systemd is not running or does not answer")
        }
        return Self.diagnosis(
            running: Self.units(result.standardOutput),
            attached: Set(tree.nodes.compactMap { $0.holder?.unit }))
    }

    /// Returns the units in systemctl's output: the unit is the first word of each line.
    static func units(_ listing: String) -> [String] {
        listing.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first.map(String.init)
        }
    }

    static func diagnosis(running: [String], attached: Set<String>) -> Diagnosis {
        let missing = running.filter { !attached.contains($0) }
        guard missing.isEmpty else {
            return Diagnosis(
                "units", .bad,
                "no node is attached by the running \(missing.joined(separator: ", ")); "
                    + "see its log: journalctl -u \(missing[0])")
        }
        return Diagnosis(
            "units", .good,
            running.isEmpty
                ? "no worker runs as \(pattern)" : "all \(running.count) workers are attached")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A check of the daemon's answers and of its process.
struct DaemonExamination: Sendable {
    let options: BusOptions

    /// The time limit for an answer.
    private static let patience = TimeSpan(milliseconds: 5_000)
    /// The duration of an answer above which the daemon is considered overloaded.
    private static let promptMicroseconds = 250_000
    /// The number of descriptors that a single faulty program could use up.
    private static let descriptorsMin = 4_096

    func diagnoses() async -> [Diagnosis] {
        do {
            return try await options.withBus(limit: Self.patience) { bus in
                let start = ContinuousClock.now
                let tree = try TreeAnswer(
                    parsing: try await bus.link.query(.tree(path: .root, depth: .max)))
                let elapsed = Int((ContinuousClock.now - start).wholeMicroseconds)
                var found = [answer(elapsed, nodes: tree.nodes.count), release(bus.welcome)]
                found += process(bus)
                found.append(await UnitExamination().diagnosis(tree))
                return found
            }
        } catch {
            let message = Stop(error)?.message ?? "\(error)"
            return [Diagnosis("daemon", .bad, message)]
        }
    }

    private func answer(_ microseconds: Int, nodes: Int) -> Diagnosis {
        let facts =
            "answered in \(Age.milliseconds(UInt32(clamping: microseconds))), \(nodes) nodes"
        return microseconds <= Self.promptMicroseconds
            ? Diagnosis("daemon", .good, facts)
            : Diagnosis("daemon", .doubtful, "\(facts): the daemon or this machine is overloaded")
    }

    private func release(_ welcome: Welcome) -> Diagnosis {
        // Both release names end with the version.
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

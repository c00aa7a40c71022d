// SPDX-License-Identifier: Apache-2.0

import Cascade
import Subprocess

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

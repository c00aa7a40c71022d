// SPDX-License-Identifier: Apache-2.0

import Cascade
import Subprocess

/// Compares the workers that systemd runs with the nodes that are attached.
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
            return Diagnosis("units", .unknown, "systemd does not run here, or does not answer")
        }
        return Self.diagnosis(
            running: Self.units(result.standardOutput),
            attached: Set(tree.nodes.compactMap { $0.holder?.unit }))
    }

    /// The units on the lines that systemctl prints: the unit first, then its states.
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
                "no node is attached by \(missing.joined(separator: ", ")), "
                    + "though systemd runs it; see its log: journalctl -u \(missing[0])")
        }
        return Diagnosis(
            "units", .good,
            running.isEmpty
                ? "no worker is run by \(pattern)" : "all \(running.count) workers are attached")
    }
}

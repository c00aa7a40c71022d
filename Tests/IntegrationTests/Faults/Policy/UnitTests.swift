// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Processes in control groups with names like systemd's.
    @FaultThread
    @Suite(.enabled(if: UnitFolder.path != nil, "requires a writable control group"))
    struct UnitTests {
        @Test func `a policy and a status know a process by the unit of its control group`() throws
        {
            let slice = try #require(UnitFolder.path)
            let unit = slice + "/till@3.service"
            let delegated = unit + "/bank.service"
            for folder in [slice, unit, delegated] {
                try #require(mkdir(folder, 0o755) == 0)
            }
            defer {
                for folder in [delegated, unit, slice] {
                    rmdir(folder)
                }
            }
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let policy = directory + "/units.policy"
            let text = "deny all / to unit till@*.service\nallow all / to unit bank.service\n"
            try Data(text.utf8).write(to: URL(filePath: policy))
            try #require(chmod(policy, 0o644) == 0)
            try FaultBus.open(["--policy", policy]) { bus in
                for folder in [unit, delegated] {
                    let refused = try start(["attach", "/till"], in: folder, on: bus).end()
                    #expect(refused.exitCode == 77)
                    #expect(refused.diagnostics.text.contains("unit 'till@3.service'"))
                    #expect(refused.diagnostics.text.contains("units.policy:1:1"))
                }
            }
            // Without the denial the node attaches, and its status shows its unit.
            try FaultBus.open { bus in
                let node = try start(["attach", "/till"], in: unit, on: bus)
                #expect(try node.output.line(containing: "\"attached\"") != nil)
                let card = try bus.run(["status", "/till", "--json"]).output.text
                #expect(card.contains("\"unit\":\"till@3.service\""))
                let value = try bus.run(["env", "get", "node.unit", "--at", "/till"]).output.text
                #expect(value == "\"till@3.service\"\n")
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
            }
        }

        /// Starts `cascadectl` in a control group.
        private func start(
            _ arguments: [String], in folder: String, on bus: FaultBus
        ) throws -> SpawnedProgram {
            let program = try SpawnedProgram.path(of: "cascadectl")
            let script = "echo $$ > '\(folder)/cgroup.procs' && exec \"$@\""
            return try SpawnedProgram(
                "/bin/sh", ["-c", script, "sh", program] + arguments, bus: bus.endpoint)
        }
    }
}

/// The folder in which control groups with names like systemd's can be made.
private enum UnitFolder {
    /// `nil` if there is none.
    static let path: String? = {
        let name = "cascade-test-\(getpid()).slice"
        return ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].first { root in
            guard access(root + "/cgroup.procs", W_OK) == 0,
                mkdir("\(root)/\(name)", 0o755) == 0
            else {
                return false
            }
            rmdir("\(root)/\(name)")
            return true
        }.map { "\($0)/\(name)" }
    }()
}

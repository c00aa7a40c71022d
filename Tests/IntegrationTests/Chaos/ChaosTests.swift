// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Real workers and a real daemon that are killed, stopped and restarted under load for a few
/// seconds; `deploy/chaos` runs the same for any time.
@Suite(.timeLimit(.minutes(2))) struct ChaosTests {
    private static let python = URL(filePath: "/usr/bin/python3")

    @Test func `the checker finds planted violations and accepts sound histories`() async throws {
        let tests = try Self.script("test_checker.py", [])
        try await tests.line(with: "OK")
        #expect(await tests.exitCode() == 0)
    }

    @Test func `no invariant is violated while the daemon and workers are killed and stopped`()
        async throws
    {
        let programs = try LineProgram.built("chaos-worker").deletingLastPathComponent().path
        let chaos = try Self.script(
            "chaos.py", ["--programs", programs, "--seed", "1", "--round", "6"])
        let kills = try await chaos.line(with: "worker kills")
        #expect(kills.split(separator: " ").last.flatMap { Int($0) } ?? 0 > 5, "too few kills")
        try await chaos.line(with: "no promise was broken")
        #expect(await chaos.exitCode() == 0)
    }

    /// A script in `Tests/Chaos`.
    private static func script(
        _ name: String, _ arguments: [String], of file: String = #filePath
    ) throws -> LineProgram {
        let script = URL(filePath: file).deletingLastPathComponent()
            .appending(path: "../../Chaos").appending(path: name).standardized
        return try LineProgram(
            python, [script.path] + arguments, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    }
}

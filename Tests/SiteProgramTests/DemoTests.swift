// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import FoundationEssentials
import Subprocess
import Testing

@testable import cascade_site

/// `cascade-site demo`, as the article "Several machines" shows it.
@Suite struct DemoTests {
    private static let programs = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().path

    /// The article, which is four folders above this file's folder.
    private func article() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = "Sources/CascadeDaemon/CascadeDaemon.docc/SeveralMachines.md"
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func `the article shows the output of the demo word for word`() throws {
        let folder = DemoFolder(path: "/tmp/cascade-demo-x2Fk9q", port: 7_222)
        let shown = ("$ cascade-site demo\n" + Demo.advice(folder))
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
        #expect(try article().contains(shown))
    }

    @Test(.timeLimit(.minutes(1)))
    func `the commands that the demo prints work as they stand, and nothing is left`() async throws
    {
        let directory = try TemporaryDirectory()
        let ending = try await Subprocess.run(
            .name("cascade-site"), arguments: ["demo"],
            environment: .inherit.updating(["PATH": Self.path, "TMPDIR": directory.path]),
            input: .none, output: .sequence, error: .combinedWithOutput
        ) { execution in
            var advice: [String] = []
            for try await line in execution.standardOutput.strings() {
                advice.append(line)
                if line.contains("env explain mode") {
                    break
                }
            }
            let result = try await ProgramResult(running: "sh", ["-c", Self.script(of: advice)])
            #expect(result.status.isSuccess, "\(result.output)")
            #expect(
                result.output.contains("handled by /hq:/shop (responder 0, handle PaperJam)"))
            #expect(result.output.contains(#""payload":"soup""#))
            #expect(result.output.contains("/hq:"))
            try execution.send(signal: .interrupt)
        }
        #expect(ending.terminationStatus == .exited(0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    private static let path =
        programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")

    /// The commands of the demo as one script. Nodes run in the background, and end with the script. The other
    /// commands are repeated until they succeed, since the border knows a node above or below a moment later.
    private static func script(of advice: [String]) -> String {
        var lines = ["PATH=\(path)", "trap 'kill $nodes' EXIT"]
        for line in advice where line.hasPrefix("  ") {
            let command = line.drop { $0 == " " }
            if command.hasPrefix("cascadectl attach") {
                let node = command.split(separator: " ")[2]
                lines += [
                    "\(command) & nodes=\"$nodes $!\"", "cascadectl wait \(node) --timeout 20s",
                ]
            } else if command.hasPrefix("cascadectl") {
                lines.append("until \(command); do :; done")
            } else if command.hasPrefix("export") {
                lines.append(String(command))
            }
        }
        return lines.joined(separator: "\n")
    }
}

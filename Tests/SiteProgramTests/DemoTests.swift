// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import FoundationEssentials
import Glibc
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
    func `the commands that the demo prints work as they stand, and nothing is left`() throws {
        let directory = try TemporaryDirectory()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        let demo = try StartedProgram(
            ["\(Self.programs)/cascade-site", "demo"], output: ends[1],
            variables: ["TMPDIR": directory.path, "PATH": Self.path])
        close(ends[1])
        defer { demo.signal(SIGKILL) }
        let advice = try read(ends[0], until: "env explain mode --at /till\n")
        let result = try ProgramResult(running: ["sh", "-c", Self.script(of: advice)])
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("handled by /hq:/shop (responder 0, handle PaperJam)"))
        #expect(result.output.contains(#""payload":"soup""#))
        #expect(result.output.contains("hq"))
        demo.signal(SIGINT)
        #expect(demo.wait() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    private static let path =
        programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")

    /// The commands of the demo as one script. Nodes run in the background, and end with the script. The
    /// other commands are repeated until they succeed, since the border knows a node above or below a moment
    /// later.
    private static func script(of advice: String) -> String {
        var lines = ["PATH=\(path)", "trap 'kill $nodes' EXIT"]
        for line in advice.split(separator: "\n") where line.hasPrefix("  ") {
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

    private func read(_ descriptor: Int32, until words: String) throws -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !text.hasSuffix(words), !text.contains(words) {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            try #require(count > 0, "the demo has ended: \(text)")
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        return text
    }
}

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
    func `the commands of the demo carry an event from ulm to hq, and nothing is left`() throws {
        let directory = try TemporaryDirectory()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        let demo = try ChildProgram(
            ["\(Self.programs)/cascade-site", "demo"], output: ends[1],
            variables: ["TMPDIR": directory.path])
        close(ends[1])
        defer { demo.signal(SIGKILL) }
        let output = try read(ends[0], until: "trigger PaperJam --from /till\n")
        let endpoints = output.split(whereSeparator: \.isWhitespace)
            .filter { $0.hasPrefix("CASCADE_BUS=") }
        try #require(endpoints.count == 2)
        let result = try ProgramResult(running: [
            "sh", "-c", Self.script, "\(endpoints[0])", "\(endpoints[1])",
        ])
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("handled by /hq:/shop (responder 0, handle PaperJam)"))
        demo.signal(SIGINT)
        #expect(demo.wait() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    /// The commands of the demo. Those that go on run in the background, and end with the script.
    private static let script = """
        set -eu
        PATH=\(programs):$PATH
        trap 'kill $shop $till' EXIT
        export "$0"
        cascadectl attach /shop --handle PaperJam & shop=$!
        cascadectl wait /shop --timeout 20s
        export "$1"
        cascadectl attach /till --subscribe Menu & till=$!
        cascadectl wait /till --timeout 20s
        until cascadectl trigger PaperJam --from /till; do :; done
        """

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

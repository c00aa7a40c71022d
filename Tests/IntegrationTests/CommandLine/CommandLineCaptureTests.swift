// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineCaptureTests {
        @Test func `a capture of one bus is replayed on another bus, below another node`() throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let file = "\(directory)/shop.capture"
            try FaultBus.open { bus in
                let shop = try bus.attach("/shop", ["--handle", "Job", "--subscribe", "Bell"])
                let spool = try bus.attach("/shop/spool", ["--handle", "Other"])
                let capture = try bus.start(["capture", file, "--name", "*"])
                #expect(try capture.diagnostics.line(containing: "recording to") != nil)
                _ = try bus.run([
                    "trigger", "Job", #"{"copies":2}"#, "--from", "/shop/spool", "--attribute",
                    "colour=red",
                ])
                _ = try bus.run(["publish", "Bell", "--at", "/shop", "--raw", "text/plain", "x"])
                _ = try bus.run(["report", "Trouble", "--from", "/shop", "--message", "smoke"])
                try Patience.until("the end of the report is recorded") {
                    _ = try bus.run(["ping"])
                    let lines = try String(contentsOfFile: file, encoding: .utf8)
                        .split(separator: "\n")
                    return lines.contains { $0.contains("Trouble") && $0.contains("ended") }
                }
                capture.signal(SIGINT)
                #expect(try capture.end().exitCode == 130)
                let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
                    .map { try JSONText(String($0)) }
                #expect(lines[1]["schema"].string == "cascade/v1/keyframe")
                let paths = lines[1]["tree"]["nodes"].elements.compactMap { $0["path"].string }
                #expect(Set(paths).isSuperset(of: ["/", "/shop", "/shop/spool"]))
                #expect(lines[1]["undelivered"]["undelivered"].elements.isEmpty)
                let ended = lines.filter { $0["what"].string == "ended" }
                #expect(!ended.isEmpty && ended.allSatisfy { !$0["trail"].isMissing })
                withExtendedLifetime((shop, spool)) {}
            }
            try FaultBus.open { bus in
                let spool = try bus.attach("/test/shop/spool", ["--handle", "Other"])
                let node = try bus.attach(
                    "/test/shop", ["--handle", "Job", "--subscribe", "Bell"])
                let ending = try bus.run([
                    "replay", file, "--into", "/test", "--speed", "0", "--json",
                ])
                #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
                let outcomes = try ending.output.text.split(separator: "\n")
                    .map { try JSONText(String($0))["outcome"].string ?? "" }
                #expect(outcomes.sorted() == ["delivered", "failed", "handled"])
                let job = try #require(try node.output.line(containing: #""name":"Job""#))
                #expect(job.contains(#""payload":{"copies":2}"#))
                #expect(job.contains(#""attributes":{"colour":"red"}"#))
                let bell = try #require(try node.output.line(containing: #""name":"Bell""#))
                withExtendedLifetime(spool) {}
                #expect(bell.contains(#""payloadBase64":"eA==""#))
            }
        }

        @Test func `a capture has another keyframe after each 4 MiB`() throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let file = "\(directory)/large.capture"
            try FaultBus.open { bus in
                let node = try bus.attach("/shop", ["--handle", "Done", "--stdio"])
                let capture = try bus.start(["capture", file])
                #expect(try capture.diagnostics.line(containing: "recording to") != nil)
                let payload = String(repeating: "x", count: 60_000)
                for _ in 1...72 {
                    node.write(line: #"{"publish":"Large","payload":"\#(payload)"}"#)
                }
                try Patience.until("the other keyframe is recorded") {
                    _ = try bus.run(["ping"])
                    let text = try String(contentsOfFile: file, encoding: .utf8)
                    return text.ranges(of: #""schema":"cascade/v1/keyframe""#).count > 1
                }
                let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
                let isKeyframe = lines.map { $0.contains(#""schema":"cascade/v1/keyframe""#) }
                let keyframes = isKeyframe.indices.filter { isKeyframe[$0] }
                try #require(keyframes.count == 2)
                let byteCount = lines[keyframes[0]..<keyframes[1]].dropFirst()
                    .reduce(0) { $0 + $1.utf8.count + 1 }
                // Other lines may come while the bus tells the keyframe.
                #expect((4 << 20)..<(5 << 20) ~= byteCount)
                let again = try JSONText(lines[keyframes[1]])
                #expect(
                    again["tree"]["nodes"].elements.contains { $0["path"].string == "/shop" })
            }
        }

        @Test func `an existing file is not overwritten, and one that is no capture not replayed`()
            throws
        {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let file = "\(directory)/other"
            try Data("{}\n".utf8).write(to: URL(filePath: file))
            try FaultBus.open { bus in
                let capture = try bus.run(["capture", file])
                #expect(capture.exitCode == 1)
                #expect(capture.diagnostics.text.contains("exists and is not overwritten"))
                let replay = try bus.run(["replay", file])
                #expect(replay.exitCode == 65)
                #expect(replay.diagnostics.text.contains("is not a capture"))
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "{}\n")
            }
        }
    }
}

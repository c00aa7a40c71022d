// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import FoundationEssentials
import Testing

@Suite struct LimitOfEachKindTests {
    /// Limits that are tested elsewhere, with the transcript or suite.
    private static let elsewhere = [
        "disconnectedSessions": "resume-too-late", "monitorEvents": "monitor-since",
        "monitored": "monitor-slow", "crashesPerEvent": "quarantine-errors",
        "quarantined": "quarantine-errors", "replyBytes": "LimitOfEachKindTests",
        "durable": "durable-refused", "durableBytes": "durable-refused",
        "durableOutcomes": "durable-outcomes-limit", "connectionsPerUser": "CrowdTests",
        "queriesPerUser": "QueryBudgetTests",
        "unreadBytes": "UnreadAnswerTests", "waitingBytes": "UnreadAnswerTests",
        "waitingMessages": "RequestFloodTests", "framesPerMessage": "RequestFloodTests",
    ]

    @Test(arguments: LimitCase.all)
    func `each limit accepts the last fitting entry and refuses the next`(_ limit: LimitCase) {
        var bus = ScenarioBus()
        for line in limit.setup {
            let output = bus.run(line)
            #expect(!output.contains { $0.contains("UNUSABLE") }, "\(output)")
        }
        let fitting = ([limit.fitting] + limit.look).flatMap { bus.run($0) }
        let exceeding = ([limit.exceeding] + limit.look).flatMap { bus.run($0) }
        for output in [fitting, exceeding] {
            #expect(!output.contains { $0.contains("UNUSABLE") }, "\(output)")
        }
        #expect(fitting.contains { $0.contains(limit.sign) } == limit.isReversed, "\(fitting)")
        #expect(
            exceeding.contains { $0.contains(limit.sign) } != limit.isReversed, "\(exceeding)")
    }

    @Test func `every limit is tested here or named as tested elsewhere`() {
        let tested = Set(LimitCase.all.map(\.limit)).union(Self.elsewhere.keys)
        #expect(Limits().named.map(\.name).filter { !tested.contains($0) } == [])
    }

    @Test(arguments: elsewhere.sorted { $0.key < $1.key })
    func `the transcript or suite that tests a limit exists and mentions the limit`(
        limit: String, place: String
    ) throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let files = try FileManager.default.subpathsOfDirectory(atPath: "/\(root)/Tests")
        let names = ["\(place).swift", "\(place).txt"]
        let file = files.first { path in
            names.contains(path.split(separator: "/").last.map(String.init) ?? "")
        }
        let path = "/\(root)/Tests/\(try #require(file, "there is no \(place)"))"
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        // `durable` is a command of transcripts, so that its limit has another name there.
        let key = limit == "durable" && path.hasSuffix(".txt") ? "durableMax" : limit
        #expect(text.contains("\(key)=") || text.contains("\"\(limit)\""), "\(path)")
    }

    @Test func `Protocol.md lists every limit with its default`() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(root)/Sources/CascadeWire/CascadeWire.docc/Protocol.md"
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        let rows = text.split(separator: "\n")
        for limit in Limits().named {
            let row = rows.first { $0.hasPrefix("| `\(limit.name)` | ") }
            let shown = row?.split(separator: "|").last.map { $0.filter(\.isNumber) }
            #expect(shown == "\(limit.value)", "\(limit.name)")
        }
    }

    @Test func `outcomes over the limit of reply bytes are forgotten, the oldest first`() {
        var bus = ScenarioBus()
        let setup = [
            "bus replyBytes=104", "connect h 1", "attach h /a respond:Ask", "connect a 2",
            "attach a /a/b names:Ask",
        ]
        for line in setup {
            _ = bus.run(line)
        }
        for _ in 1...3 {
            _ = bus.run("request a /a/b Ask")
            _ = bus.run("verdict h answered payload=1234")
        }
        _ = bus.run("lose a")
        _ = bus.run("connect b 2 session=a")
        // The third and the second outcome are repeated; the first is unknown.
        for (sequence, isKnown) in [(2, true), (3, true), (1, false)] {
            let output = bus.run("request b /a Ask outside again sequence=\(sequence)")
            #expect(output.contains { $0.contains("outcome") } == isKnown, "\(output)")
        }
    }
}

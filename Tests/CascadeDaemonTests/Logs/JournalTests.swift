// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeService
import CascadeTestSupport
import CascadeWire
import FoundationEssentials
import Glibc
import Logging
import Testing

@testable import CascadeDaemon

/// Messages as systemd's journal receives them.
@Suite struct JournalTests {
    @Test func `a value with a line break is written with its length`() {
        var record = JournalRecord()
        record.append("MESSAGE", "plain = value")
        record.append("TEXT", "a\nb")
        #expect(
            record.bytes == Array("MESSAGE=plain = value\nTEXT\n".utf8)
                + [3, 0, 0, 0, 0, 0, 0, 0] + Array("a\nb\n".utf8))
    }

    @Test(arguments: ["", "lower", "_UNDERSCORE", "1DIGIT", "A=B", "A\nB", "Ä"])
    func `a field name that the journal refuses is omitted`(name: String) {
        var record = JournalRecord()
        record.append(name, "x")
        #expect(record.bytes.isEmpty)
    }

    @Test func `a message has the fields of its kind`() {
        let record = LogRecord(
            .violation(processID: 7, .malformed, sentence: "a\nPRIORITY=0"))
        var metadata: Logger.Metadata = [JournalRecord.messageID: .string(record.kind.messageID)]
        for (field, value) in record.fields {
            metadata[field.rawValue] = .string(value)
        }
        let text = String(
            decoding: ServiceLogHandler.record(
                record.level, record.sentence, metadata, of: "cascaded"
            ).bytes,
            as: UTF8.self)
        #expect(text.hasPrefix("MESSAGE\n"))
        #expect(text.contains("\nPRIORITY=4\nSYSLOG_IDENTIFIER=cascaded\n"))
        #expect(text.contains("\nMESSAGE_ID=\(LogKind.violation.messageID)\n"))
        #expect(text.contains("\nCASCADE_PEER_PID=7\n"))
    }

    @Test func `a small message is sent as a datagram and a large one as a sealed file`() throws {
        let directory = try TemporaryDirectory()
        let journal = try FakeJournal(path: directory.path + "/socket")
        let socket = try #require(JournalSocket(path: journal.path))
        var small = JournalRecord()
        small.append("MESSAGE", "small")
        socket.send(small)
        #expect(journal.receive() == small.bytes)
        var big = JournalRecord()
        big.append("MESSAGE", String(repeating: "b", count: 4 << 20))
        socket.send(big)
        #expect(journal.receive() == big.bytes)
        #expect(socket.lostCount == 0)
    }

    @Test func `a full journal loses messages instead of blocking`() throws {
        let directory = try TemporaryDirectory()
        let journal = try FakeJournal(path: directory.path + "/socket")
        let socket = try #require(JournalSocket(path: journal.path))
        var record = JournalRecord()
        record.append("MESSAGE", String(repeating: "x", count: 1_000))
        for _ in 0..<10_000 {
            socket.send(record)
        }
        #expect(socket.lostCount > 0)
        #expect(socket.lostCount < 10_000)
        #expect(journal.receive() == record.bytes)
    }

    @Test func `without a journal no socket is opened`() {
        #expect(JournalSocket(path: "/nonexistent/socket") == nil)
    }

    @Test func `the journal is used only where standard error leads to it`() {
        var status = stat()
        fstat(STDERR_FILENO, &status)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(LogFormat.auto.resolved(journalStream: stream) == .journal)
        #expect(LogFormat.auto.resolved(journalStream: "1:2") == .text)
        #expect(LogFormat.auto.resolved(journalStream: nil) == .text)
        #expect(LogFormat.prefixed.resolved(journalStream: stream) == .prefixed)
    }

    // MARK: - The catalog

    @Test func `every kind of log message has one entry in the catalog`() throws {
        let path = SettingTests.root() + "/deploy/systemd/cascade.catalog"
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        let entries = text.components(separatedBy: "\n-- ").dropFirst()
        #expect(entries.map { String($0.prefix(32)) } == LogKind.allCases.map(\.messageID))
        let fields = Set(LogField.allCases.map(\.rawValue))
        for entry in entries {
            let parts = entry.components(separatedBy: "\n\n")
            #expect(parts[0].contains("\nSubject: ") && parts[0].contains("\nDefined-By: Cascade"))
            #expect(parts.count > 1 && !parts[1].isEmpty)
            let used = entry.split(separator: "@", omittingEmptySubsequences: false)
                .enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
            #expect(fields.isSuperset(of: used), "\(used)")
        }
    }

    @Test func `the message ID of each kind is unique and valid for systemd`() {
        let numbers = LogKind.allCases.map(\.messageID)
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }
}

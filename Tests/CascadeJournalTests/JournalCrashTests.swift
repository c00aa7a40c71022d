// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import CascadeSimulator
import CascadeTestSupport
import CascadeWire
import Testing

// The power fails at any operation of the disk and at any byte of a write. Acknowledged records
// survive, and every record that is found was written.
@Suite struct JournalCrashTests {
    /// The bodies a key may have after a crash: the last acknowledged one, or any written since.
    private struct Expectation {
        var acknowledged: [UInt8]?
        var since: [[UInt8]?] = []

        func allows(_ body: [UInt8]?) -> Bool {
            body == acknowledged || since.contains { $0 == body }
        }
    }

    private struct World {
        var generator: SeededGenerator
        var folder = SimulatedFolder()
        var expected: [EventID: Expectation] = [:]
        var acknowledgedCount = 0
        var lastBody: UInt64 = 0

        /// Runs a journal until a power failure. Returns the problems found.
        mutating func live() throws -> [String] {
            var salts = SeededGenerator(seed: generator.next())
            folder.disk.capacity = .max
            folder.disk.failingSync = 0
            var journal = Journal(disk: folder) { salts.next() }
            let problems = check(try journal.open())
            if generator.isLucky(30) {
                journal.disk.disk.failingSync = 1 + generator.below(10)
            }
            for _ in 0..<(1 + generator.below(40)) {
                if generator.isLucky(5) {
                    let room = generator.below(4_000)
                    journal.disk.disk.capacity =
                        generator.isLucky(50) ? .max : journal.disk.disk.usedByteCount + room
                }
                write(&journal)
            }
            folder = journal.disk
            folder.disk.losePower(using: &generator)
            return problems
        }

        private mutating func write(_ journal: inout Journal<SimulatedFolder>) {
            let changes = (0..<(1 + generator.below(6))).map { _ in change() }
            // Within one write a key has one change at most, as in the broker.
            let distinct = Dictionary(changes.map { ($0.key, $0) }) { $1 }
            let ordered = changes.filter { distinct[$0.key] == $0 }
            for change in ordered {
                expected[change.key, default: Expectation()].since.append(change.body)
            }
            guard (try? journal.write(ordered)) != nil, ordered.contains(where: \.isSynced) else {
                return
            }
            // A sync covers all earlier writes, too.
            for change in ordered {
                expected[change.key]?.acknowledged = change.body
                expected[change.key]?.since = []
                acknowledgedCount += 1
            }
        }

        private mutating func change() -> JournalChange {
            let key = EventID(journal: UInt64(generator.below(12)))
            guard generator.isLucky(75) else {
                return JournalChange(key: key, body: nil, isSynced: generator.isLucky(50))
            }
            lastBody += 1
            let length = generator.below(300)
            let body = Array("\(key.sequence):\(lastBody):".utf8)
            return JournalChange(key: key, body: body + [UInt8](repeating: 32, count: length))
        }

        private mutating func check(_ report: JournalReport) -> [String] {
            var problems: [String] = []
            var found: [EventID: [UInt8]] = [:]
            for body in report.records {
                let text = String(decoding: body, as: UTF8.self)
                let key = EventID(journal: UInt64(text.prefix { $0 != ":" }) ?? .max)
                if found.updateValue(body, forKey: key) != nil {
                    problems.append("two records of \(key)")
                }
            }
            for (key, expectation) in expected where !expectation.allows(found[key]) {
                problems.append("\(key.sequence) has a record that it must not have")
            }
            for key in found.keys where expected[key] == nil {
                problems.append("\(key.sequence) was never written")
            }
            if report.damagedCount > 0 {
                problems.append("a record before the last one is damaged")
            }
            for key in expected.keys {
                expected[key] = Expectation(acknowledged: found[key])
            }
            return problems
        }
    }

    @Test(arguments: 0..<400 as Range<UInt64>)
    func `no acknowledged record is lost by power failures`(seed: UInt64) throws {
        var world = World(generator: SeededGenerator(seed: seed))
        for life in 0..<8 {
            let problems = try world.live()
            #expect(problems == [], "in life \(life)")
        }
        #expect(world.acknowledgedCount > 0)
    }
}

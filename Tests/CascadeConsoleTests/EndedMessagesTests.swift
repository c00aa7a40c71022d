// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeConsole

@Suite struct EndedMessagesTests {
    private var ended = EndedMessages()
    private var version: UInt64 = 0

    @Test
    mutating func `a page that is opened late is told of the failures before thousands of others`()
    {
        let failures = append(.failed, 3) + append(.unhandled, 2)
        let others = append(.handled, 10_000)
        #expect(ended.count == EndedMessages.countMax)
        let first = ended.first.map(\.version)
        #expect(first == failures + others.suffix(EndedMessages.firstCountMax - 5))
    }

    @Test mutating func `however many failures there are, some of the newest others are told`() {
        let others = append(.delivered, 500)
        let failures = append(.timedOut, 5_000)
        #expect(
            ended.first.map(\.version)
                == Array(failures.suffix(EndedMessages.firstCountMax))
                + others.suffix(EndedMessages.firstExpectedCountMin))
    }

    @Test mutating func `failures take half of the room if others need the rest`() {
        let failures = append(.failed, 1_500)
        let others = append(.handled, 1_500)
        #expect(
            ended.after(0).map(\.version)
                == Array(failures.suffix(EndedMessages.countMax / 2))
                + others.suffix(EndedMessages.countMax / 2))
    }

    @Test mutating func `the one above the limit takes the place of the oldest`() {
        let all = append(.handled, EndedMessages.countMax)
        #expect(ended.after(0).map(\.version) == all)
        let next = append(.handled, 1)
        #expect(ended.after(0).map(\.version) == Array(all.dropFirst()) + next)
    }

    @Test mutating func `a page is told what has ended since its version`() {
        _ = append(.failed, 2) + append(.handled, 2)
        let new = append(.failed, 1) + append(.handled, 1)
        #expect(ended.after(4).map(\.version) == new)
        #expect(ended.after(6).isEmpty)
    }

    @Test mutating func `an outcome of a later release stays like a failure`() {
        let unknown = append(nil, 1)
        _ = append(.handled, 3_000)
        #expect(ended.first.first?.version == unknown.first)
    }

    /// Adds messages with an outcome, and returns their versions.
    private mutating func append(_ outcome: OutcomeCode?, _ count: Int) -> [UInt64] {
        (0..<count).map { _ in
            version += 1
            ended.append(.init(version: version, text: "{}"), outcome)
            return version
        }
    }
}

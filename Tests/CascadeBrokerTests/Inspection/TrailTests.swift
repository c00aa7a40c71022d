// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

@Suite struct TrailTests {
    private static func visit(_ number: Int, _ words: TrailVisit.Words? = nil) throws -> TrailVisit
    {
        TrailVisit(
            path: try NodePath("/tree/n\(number)"), words: words, microseconds: 1,
            name: NameIndex.none, responder: 0, kind: .observe, verdict: .passed,
            hasTimedOut: false)
    }

    @Test func `a short trail is kept whole`() throws {
        var trail = Trail()
        for number in 0..<100 {
            trail.append(try Self.visit(number))
        }
        #expect(trail.visits.map(\.path.description) == (0..<100).map { "/tree/n\($0)" })
        #expect(trail.omittedCount == 0)
    }

    @Test func `a long trail keeps the first and the last visits, in order`() throws {
        var trail = Trail()
        for number in 0..<50_000 {
            trail.append(try Self.visit(number))
        }
        let numbers = trail.visits.compactMap { Int($0.path.description.dropFirst(7)) }
        #expect(numbers.count + Int(trail.omittedCount) == 50_000)
        #expect(numbers.count * MemoryLayout<TrailVisit>.stride < Trail.byteCountMax)
        let firstCount = zip(numbers, 0...).prefix { $0 == $1 }.count
        let last = numbers.dropFirst(firstCount)
        #expect(firstCount > 50)
        #expect(last.count > 50)
        #expect(Array(last) == Array((50_000 - last.count)..<50_000))
        trail.clear()
        #expect(trail.isEmpty)
        #expect(trail.omittedCount == 0)
    }

    @Test func `the text of an error counts, and the last visit stays whatever its size`() throws {
        var trail = Trail()
        for number in 0..<4 {
            let words = TrailVisit.Words(
                name: nil, message: String(repeating: "x", count: Trail.byteCountMax), title: nil)
            trail.append(try Self.visit(number, words))
        }
        #expect(trail.visits.map(\.path.description) == ["/tree/n0", "/tree/n3"])
        #expect(trail.omittedCount == 2)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeTestSupport
import Testing

@Suite struct RandomPredicateTests {
    @Test func `random predicates evaluate as a naive evaluator does and print as themselves`()
        throws
    {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<3000 {
            let formula = Formula.random(depth: 4, using: &generator)
            let text = formula.text(using: &generator)
            guard text.utf8.count <= 2048 else {
                continue
            }
            let predicate = try Predicate(text)
            #expect(predicate.complexity == formula.complexity, "\(text)")
            #expect(try Predicate(predicate.description) == predicate, "\(text)")
            for _ in 0..<4 {
                let values = Self.values(using: &generator)
                let holds = predicate.evaluate { values[$0] }
                #expect(holds == formula.holds(values), "\(text) with \(values)")
            }
        }
    }

    private static func values(using generator: inout SeededGenerator) -> [String: Scalar] {
        var values: [String: Scalar] = [:]
        for name in Formula.names.dropLast() where Int.random(in: 0..<5, using: &generator) > 0 {
            values[name] = Formula.scalars.randomElement(using: &generator)
        }
        return values
    }

    @Test func `random tokens are parsed, or refused at a position within them`() {
        let pieces = [
            "a", "b.c", "true", "null", "1", "-2.5e3", "01", "\"x\"", "\"", "\\", "==", "!=", "<",
            "<=", ">", ">=", "&&", "||", "!", "~", "(", ")", "=>", ";", "=", "&", "#", " ", "\n",
            "\r\n", "é", "\u{301}", "{", "[", "]", "}", ",", "'", "\u{0}",
        ]
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<14, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }
            Self.check(text.joined())
        }
    }

    @Test func `random bytes are parsed, or refused at a position within them`() async {
        var generator = SeededGenerator(seed: 3)
        for round in 0..<20_000 {
            // Other tests must not wait for all of this one.
            await Task.yield()
            let count = Int.random(in: 0..<24, using: &generator)
            let range: ClosedRange<UInt8> = round.isMultiple(of: 2) ? 0...255 : 0x20...0x7E
            let bytes = (0..<count).map { _ in UInt8.random(in: range, using: &generator) }
            Self.check(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func check(_ text: String) {
        do {
            let predicate = try Predicate(text)
            #expect((try? Predicate(predicate.description)) == predicate, "\(text)")
            _ = predicate.evaluate { _ in .number(Number(1)) }
        } catch {
            expectInside(text, error)
        }
        do {
            for rule in try RuleFile.parse(text, file: "f") {
                let again = try? RuleFile.parse(rule.description, file: "f")
                #expect(again?.map(\.description) == [rule.description], "\(text)")
            }
        } catch {
            expectInside(text, error.error)
        }
    }

    private static func expectInside(_ text: String, _ error: ExpressionError) {
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard lines.indices.contains(error.line - 1) else {
            Issue.record("\(error) is in no line of \(text)")
            return
        }
        #expect((1...(lines[error.line - 1].count + 1)).contains(error.column), "\(error): \(text)")
        #expect(error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{7F}" })
    }
}

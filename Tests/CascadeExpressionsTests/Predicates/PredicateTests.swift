// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import Testing

@Suite struct PredicateTests {
    private static let values: [String: Scalar] = [
        "priority": .string("high"), "amount": .number(Number(101)), "urgent": .boolean(true),
        "quiet": .boolean(false), "nothing": .null, "limit": .number(Number(100)),
        "origin": .string("/kitchen/oven"), "a.b:c-d": .boolean(true), "zero": .number(Number(0)),
    ]

    private func holds(_ text: String) throws -> Bool {
        try Predicate(text).evaluate { Self.values[$0] }
    }

    @Test(arguments: [
        #"priority == "high" && amount > 100"#, "urgent", "!quiet", "!missing", "!nothing",
        "amount > limit", "limit < amount", "100 < amount", "amount >= 101", "amount <= 101",
        "amount != limit", #"priority != "low""#, "nothing == null", "urgent == true",
        "urgent != false", "quiet == false", #""a" < "b""#, #"priority >= "hig""#, "1 == 1.0",
        "1e3 == 1000", "-0 == 0", "0.1 < 0.2", "9007199254740993 > 9007199254740992",
        "9223372036854775807 < 9223372036854775808", "-9223372036854775808 > -1e19",
        "9007199254740993 < 1e300", "2 > 1.5", "-2 < -1.5", "true", "!false", "a.b:c-d",
        "quiet || urgent", "urgent || quiet && quiet", "!(quiet && urgent)", "!!urgent",
        #"origin ~ "/kitchen/*""#, #"!(origin ~ "/bar/*")"#, "zero==0", "(((urgent)))",
        #""\u00e9\ud83d\ude00\n\/" == "é😀\u000a/""#, "urgent\n\t&& urgent\r\n", "zero == -0.0",
    ])
    func `a predicate holds`(text: String) throws {
        #expect(try holds(text))
    }

    @Test(arguments: [
        #"priority == "low""#, "amount > 101", "quiet", "nothing", "missing", "priority", "amount",
        "missing == null", "missing != 1", "1 != missing", "missing == missing", "missing < 1",
        #"amount != "101""#, #"amount == "101""#, "nothing != null", "amount != null",
        "urgent < quiet", "quiet < urgent", "quiet <= quiet", "null <= null", "null >= null",
        "urgent == 1", "false", "!true", "urgent && quiet", "quiet || missing", "!urgent",
        "!(urgent || quiet)", #""é" == "e\u0301""#, #"amount ~ "*""#, #"missing ~ "*""#,
        #"origin ~ "kitchen""#, "9007199254740993 == 9007199254740992", #""B" > "a""#,
        "9007199254740993 > 9007199254740993",
    ])
    func `a predicate does not hold`(text: String) throws {
        #expect(try !holds(text))
    }

    @Test func `strings are ordered by their scalars and not by UTF-16`() throws {
        #expect(try holds(#""\uffff" < "\ud83d\ude00""#))
    }

    @Test func `only the names that decide are evaluated`() throws {
        var asked: [String] = []
        let predicate = try Predicate("a && b || c || d")
        let holds = predicate.evaluate { name in
            asked.append(name)
            return .boolean(name == "c")
        }
        #expect(holds)
        #expect(asked == ["a", "c"])
    }

    @Test func `each name is listed once, in order of occurrence`() throws {
        let predicate = try Predicate(#"b == a && !(c || a) || 1 < d && b ~ "*" && "e" == true"#)
        #expect(predicate.names == ["b", "a", "c", "d"])
        #expect(try Predicate("true").names.isEmpty)
    }

    @Test(arguments: [
        ("true", 0), ("a", 1), ("a == 1", 1), (#"a ~ "*""#, 1), ("!a", 1), ("!(a && b && c)", 1),
        ("a && b", 2), ("a || b", 2), ("a && (b || c)", 3), ("!(a || b) && c", 2),
        ("true && a", 1), ("!true", 1),
    ])
    func `the complexity is the sum of the parts, and of a negation 1`(
        text: String, complexity: Int
    ) throws {
        #expect(try Predicate(text).complexity == complexity)
    }

    @Test(arguments: [
        ("a&&b||c", "a && b || c"), ("a&&(b||c)", "a && (b || c)"), ("((a))", "a"),
        ("(a && b) && c", "a && b && c"), ("a || (b || c)", "a || b || c"), ("!(a)", "!a"),
        ("!(a==1)", "!(a == 1)"), ("!(a&&b)", "!(a && b)"), ("!(!a)", "!!a"),
        ("a==1.50", "a == 1.5"), ("a==1.0", "a == 1"), (#"a~"\u002a""#, #"a ~ "*""#),
        (#"a=="\u00e9\u202e\u0007\"\\\n""#, #"a == "é\u202e\u0007\"\\\n""#),
        (#"a == "\udbff\udfff""#, #"a == "\udbff\udfff""#),
    ])
    func `the text of a predicate is canonical`(text: String, canonical: String) throws {
        let predicate = try Predicate(text)
        #expect(predicate.description == canonical)
        #expect(try Predicate(canonical) == predicate)
    }

    @Test func `a long chain of operators is evaluated`() throws {
        let text = Array(repeating: "a", count: 800).joined(separator: " && ")
        let predicate = try Predicate(text)
        #expect(predicate.complexity == 800)
        #expect(predicate.evaluate { _ in .boolean(true) })
    }
}

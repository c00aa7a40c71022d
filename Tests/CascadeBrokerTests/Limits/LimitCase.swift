// SPDX-License-Identifier: Apache-2.0

import Testing

/// A limit of the bus: lines of a scenario that fill it to the last entry, one line that exceeds
/// it, and a sign in the output that tells the two apart.
struct LimitCase: CustomTestStringConvertible, Sendable {
    /// The name in `Limits`.
    var limit: String
    /// The configuration of the bus, including the limit, and the lines before.
    var setup: [String]
    /// The last entry that fits.
    var fitting: String
    /// The next entry.
    var exceeding: String
    /// Text in the output of the next entry, but not of the last that fits.
    var sign: String
    /// Whether the sign is in the other output instead.
    var isReversed = false
    /// Lines after either entry that print something.
    var look: [String] = []

    var testDescription: String {
        limit
    }

    /// A node at `/a`, and one that responds to its events.
    private static let pair = [
        "connect h 1001", "attach h /a handle:Order prefetch=9",
        "connect a 1002", "attach a /a/b names:Order,Menu,Other",
    ]

    /// A text of a dozen kilobytes.
    private static let manyRules = (0..<2_000).map { "k\($0)<=1" }.joined(separator: " ")

    /// More than a predicate may be matched with in the test of its limit.
    private static let manyLetters = String(repeating: "a", count: 1_100)

    /// The sizes of a header and of the digits after it.
    private static let digits = "payload=0123456789012345678901234567890123456789012345678901"

    static let all = declarations + users + events + kept + values

    private static let declarations = [
        LimitCase(
            limit: "depth", setup: ["bus depth=2", "connect a 1"], fitting: "attach a /a/b",
            exceeding: "attach a /a/b/c", sign: "(limit depth)"),
        LimitCase(
            limit: "pathBytes", setup: ["bus pathBytes=4", "connect a 1"], fitting: "attach a /abc",
            exceeding: "attach a /abcd", sign: "(limit pathBytes)"),
        LimitCase(
            limit: "nodes", setup: ["bus nodes=3", "connect a 1"], fitting: "attach a /a/b",
            exceeding: "attach a /c", sign: "(limit nodes)"),
        LimitCase(
            limit: "sites", setup: ["bus sites=1", "connect a 1"], fitting: "attach a /a mount",
            exceeding: "attach a /b mount", sign: "(limit sites)"),
        LimitCase(
            limit: "nodesPerSession", setup: ["bus nodesPerSession=1", "connect a 1"],
            fitting: "attach a /a", exceeding: "attach a /b", sign: "(limit nodesPerSession)"),
        LimitCase(
            limit: "respondersPerNode", setup: ["bus respondersPerNode=1", "connect a 1"],
            fitting: "attach a /a handle:A", exceeding: "attach a /b handle:A handle:A",
            sign: "(limit respondersPerNode)"),
        LimitCase(
            limit: "declarationsPerSession",
            setup: ["bus declarationsPerSession=2", "connect a 1", "attach a /a handle:A"],
            fitting: "attach a /b handle:B", exceeding: "attach a /c handle:B",
            sign: "(limit declarationsPerSession)"),
        LimitCase(
            limit: "subscriptionsPerNode", setup: ["bus subscriptionsPerNode=1", "connect a 1"],
            fitting: "attach a /a subscribe:A", exceeding: "attach a /b subscribe:A subscribe:B",
            sign: "(limit subscriptionsPerNode)"),
        LimitCase(
            limit: "names", setup: ["bus names=1", "connect a 1"],
            fitting: "attach a /a handle:A", exceeding: "attach a /b handle:B",
            sign: "(limit names)"),
        LimitCase(
            limit: "repeatingQueries", setup: ["bus repeatingQueries=1", "connect a 1"],
            fitting: "watch a tree", exceeding: "watch a tree",
            sign: "(limit repeatingQueries)"),
        LimitCase(
            limit: "monitors", setup: ["bus monitors=1", "connect a 1"],
            fitting: "monitor a kind=topology", exceeding: "monitor a kind=topology",
            sign: "(limit monitors)"),
    ]

    private static let users = [
        LimitCase(
            limit: "querySteps", setup: ["bus querySteps=1500", "connect a 1 uid=7"],
            fitting: "ask a tree", exceeding: "rules-diff r \(manyRules)",
            sign: "(limit querySteps"),
        LimitCase(
            limit: "sessionsPerUser", setup: ["bus sessionsPerUser=1", "connect b 1 uid=8"],
            fitting: "connect a 1 uid=7", exceeding: "connect c 1 uid=7", sign: "tooManySessions"),
        LimitCase(
            limit: "nodesPerUser",
            setup: ["bus nodesPerUser=1", "connect a 1 uid=7", "connect b 2 uid=7"],
            fitting: "attach a /a", exceeding: "attach b /b", sign: "(limit nodesPerUser)"),
        LimitCase(
            limit: "bytesPerUser", setup: ["bus bytesPerUser=2442"] + pair,
            fitting: "trigger a /a/b Order \(digits)", exceeding: "trigger a /a/b Order",
            sign: "(limit bytesPerUser)"),
        LimitCase(
            limit: "credit", setup: ["bus credit=1"] + pair, fitting: "trigger a /a/b Order",
            exceeding: "trigger a /a/b Order", sign: "creditExceeded"),
    ]

    private static let events = [
        LimitCase(
            limit: "predicateSteps",
            setup: [
                "bus predicateSteps=1024", "connect h 1", "attach h /a handle:Order?x~\"a*b\"",
                "connect a 2", "attach a /a/b",
            ], fitting: "trigger a /a/b Order payload={\"x\":\"aa\"}",
            exceeding: "trigger a /a/b Order payload={\"x\":\"\(manyLetters)\"}",
            sign: "(limit predicateSteps)"),
        LimitCase(
            limit: "causes", setup: ["bus causes=1"] + pair,
            fitting: "trigger a /a/b Order causes=1", exceeding: "trigger a /a/b Order causes=2",
            sign: "looped"),
        LimitCase(
            limit: "recipients",
            setup: [
                "bus recipients=1", "connect a 1",
                "attach a /a subscribe:Bell + /b/c subscribe:Bell",
            ], fitting: "publish a /b Bell outside", exceeding: "publish a / Bell outside to=all",
            sign: "(limit recipients)"),
        LimitCase(
            limit: "prefetchBytes", setup: ["bus prefetchBytes=100"] + pair,
            fitting: "trigger a /a/b Order \(digits)", exceeding: "trigger a /a/b Order",
            sign: "visit", isReversed: true),
        LimitCase(
            limit: "waitingEmits",
            setup: [
                "bus waitingEmits=1", "connect h 1", "attach h /a handle:Order prefetch=1",
                "connect a 2", "attach a /a/b", "trigger a /a/b Order emit",
            ], fitting: "trigger a /a/b Order emit", exceeding: "trigger a /a/b Order emit",
            sign: "dropped=1", look: ["status"]),
        LimitCase(
            limit: "messageBytes", setup: ["bus", "connect a 1"],
            fitting: "send a query id=1 code=2", exceeding: "send a query id=2 code=2 oversized",
            sign: "limit messageBytes"),
    ]

    private static let kept = [
        LimitCase(
            limit: "held", setup: ["bus held=1"] + pair,
            fitting: "trigger a /a/b Other hold=5s", exceeding: "trigger a /a/b Other hold=5s",
            sign: "unhandled"),
        LimitCase(
            limit: "heldBytes", setup: ["bus heldBytes=110"] + pair,
            fitting: "trigger a /a/b Other hold=5s \(digits)",
            exceeding: "trigger a /a/b Other hold=5s", sign: "unhandled"),
        LimitCase(
            limit: "undelivered", setup: ["bus undelivered=1"] + pair,
            fitting: "trigger a /a/b Other", exceeding: "trigger a /a/b Other",
            sign: "a#1", isReversed: true, look: ["undelivered"]),
        LimitCase(
            limit: "undeliveredBytes", setup: ["bus undeliveredBytes=52"] + pair,
            fitting: "trigger a /a/b Other \(digits)", exceeding: "trigger a /a/b Other payload=1",
            sign: "a#1", isReversed: true, look: ["undelivered"]),
        LimitCase(
            limit: "retained", setup: ["bus retained=1"] + pair,
            fitting: "publish a /a/b Menu retain", exceeding: "publish a /a/b Other retain",
            sign: "(limit retained)"),
        LimitCase(
            limit: "retainedBytes", setup: ["bus retainedBytes=100"] + pair,
            fitting: "publish a /a/b Menu retain \(digits)",
            exceeding: "publish a /a/b Other retain", sign: "(limit retainedBytes)"),
        LimitCase(
            limit: "traces", setup: ["bus traces=1"] + pair, fitting: "trigger a /a/b Other",
            exceeding: "trigger a /a/b Other", sign: "noSuchEvent", look: ["trace a#1"]),
    ]

    private static let values = [
        LimitCase(
            limit: "keysPerNode", setup: ["bus keysPerNode=1", "connect a 1"],
            fitting: "set a /x a=1", exceeding: "set a /x b=1", sign: "(limit keysPerNode)"),
        LimitCase(
            limit: "keys", setup: ["bus keys=1", "connect a 1"], fitting: "set a /x a=1",
            exceeding: "set a /y b=1", sign: "(limit keys)"),
        LimitCase(
            limit: "keptValues", setup: ["bus keptValues=1", "connect a 1"],
            fitting: "set a /x a=1", exceeding: "set a /y a=1", sign: "(limit keptValues)"),
        LimitCase(
            limit: "valueBytes", setup: ["bus valueBytes=3", "connect a 1"],
            fitting: "set a /x a=123", exceeding: "set a /x a=1234", sign: "(limit valueBytes)"),
        LimitCase(
            limit: "valueDepth", setup: ["bus", "connect a 1"],
            fitting: "set a /x a=\(nested(64))", exceeding: "set a /x a=\(nested(65))",
            sign: "badValue"),
        LimitCase(
            limit: "rulesPerNode", setup: ["bus rulesPerNode=1", "connect a 1"],
            fitting: #"attach a /a rule:a\s<=\s1"#,
            exceeding: #"attach a /b rule:a\s<=\s1 rule:b\s<=\s1"#,
            sign: "(limit rulesPerNode)"),
        LimitCase(
            limit: "fileRules", setup: ["bus fileRules=1", "connect a 1"],
            fitting: #"load x.rules a\s<=\s1"#,
            exceeding: #"load x.rules a\s<=\s1 b\s<=\s1"#, sign: "refused"),
    ]

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
}

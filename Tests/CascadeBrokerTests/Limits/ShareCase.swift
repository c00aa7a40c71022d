// SPDX-License-Identifier: Apache-2.0

import Testing

/// A table filled by one user, and the lines by which another user shows that it is not
/// affected. User 7 has the session `a`, user 8 has `b`.
struct ShareCase: CustomTestStringConvertible, Sendable {
    /// The name of its limit in `Limits`.
    var table: String
    /// The limits, as arguments of the line `bus`.
    var limits: String
    /// Lines of user 8 before.
    var before: [String] = []
    /// The line that user 7 repeats; `#` stands for a number.
    var filling: [String]
    /// Lines of user 8 afterwards.
    var after: [String]
    /// Text that the output of those lines must contain, or must not.
    var sign: String
    var isAbsent = false

    var testDescription: String {
        table
    }

    static let text = "payload=0123456789012345678901234567890123456789012345678901"

    static let all = tree + kept + durable + sessions + ended

    private static let tree = [
        ShareCase(
            table: "nodes", limits: "nodes=20", filling: ["attach a /a#"],
            after: ["attach b /b1", "attach b /b2"], sign: "attached /b2"),
        ShareCase(
            table: "names", limits: "names=20", filling: ["attach a /a# handle:N# subscribe:M#"],
            after: ["attach b /b1 handle:Mine"], sign: "attached /b1"),
        ShareCase(
            table: "keys", limits: "keys=20", filling: ["set a /a k#=1"],
            after: ["set b /b mine=1"], sign: "b < done"),
        ShareCase(
            table: "keptValues", limits: "keptValues=20", filling: ["set a /a# k=1"],
            after: ["set b /b k=1"], sign: "b < done"),
    ]

    private static let kept = [
        ShareCase(
            table: "retained", limits: "retained=20", filling: ["publish a /a M# retain"],
            after: ["publish b /b Menu retain"], sign: "b < outcome"),
        ShareCase(
            table: "retainedBytes", limits: "retainedBytes=2000",
            filling: ["publish a /a M# retain \(text)"], after: ["publish b /b Menu retain"],
            sign: "b < outcome"),
        ShareCase(
            table: "held", limits: "held=20", filling: ["trigger a /a Late hold=50s"],
            after: ["trigger b /b Late hold=50s"], sign: "unhandled", isAbsent: true),
        ShareCase(
            table: "heldBytes", limits: "heldBytes=2000",
            filling: ["trigger a /a Late hold=50s \(text)"],
            after: ["trigger b /b Late hold=50s"], sign: "unhandled", isAbsent: true),
        // The session had raised an event that must not be raised again after the reconnect.
        ShareCase(
            table: "disconnectedSessions", limits: "disconnectedSessions=20",
            before: ["connect lost 90 uid=8", "trigger lost /h Job outside", "lose lost"],
            filling: ["connect x# 1# uid=7", "trigger x# /h Job outside", "lose x#"],
            after: [
                "connect back 90 uid=8 session=lost",
                "trigger back /h Job outside again sequence=1",
            ], sign: "visit", isAbsent: true),
    ]

    private static let durable = [
        ShareCase(
            table: "durable", limits: "durable durableMax=20",
            filling: ["trigger a /a Job durable"], after: ["trigger b /b Job durable"],
            sign: "trigger of b#1"),
        ShareCase(
            table: "durableBytes", limits: "durable durableBytes=4000",
            filling: ["trigger a /a Job durable \(text)"], after: ["trigger b /b Job durable"],
            sign: "trigger of b#1"),
        ShareCase(
            table: "durableOutcomes", limits: "durable durableOutcomes=20",
            before: [
                "trigger b /h/b Job durable", "persisted", "verdict h handled", "persisted",
            ],
            filling: [
                "trigger a /h/a Job durable", "persisted", "verdict h handled", "persisted",
            ], after: ["recall b 1"], sign: "#1 handled"),
    ]

    private static let sessions = [
        ShareCase(
            table: "monitors", limits: "monitors=6", filling: ["monitor a kind=topology"],
            after: ["monitor b kind=topology", "attach b /b1"], sign: "\"path\":\"/b1\"")
    ]

    private static let ended = [
        ShareCase(
            table: "undelivered", limits: "undelivered=20", before: ["trigger b /b None"],
            filling: ["trigger a /a None"], after: ["undelivered"], sign: "\"b#1\""),
        ShareCase(
            table: "undeliveredBytes", limits: "undeliveredBytes=1000",
            before: ["trigger b /b None \(text)"], filling: ["trigger a /a None \(text)"],
            after: ["undelivered"], sign: "\"b#1\""),
        ShareCase(
            table: "traces", limits: "traces=20", before: ["trigger b /b None"],
            filling: ["trigger a /a None"], after: ["trace b#1"], sign: "\"b#1\""),
        ShareCase(
            table: "monitorEvents", limits: "monitorEvents=20", before: ["attach b /b/mine"],
            filling: ["attach a /a/x", "leave a /a/x"], after: ["happenings since=60s"],
            sign: "/b/mine"),
        // Two sessions were lost with the event of user 8; a third one is too many.
        ShareCase(
            table: "quarantined", limits: "quarantined=5 crashesPerEvent=2",
            before: [
                "connect d1 81 uid=9", "attach d1 /h/d handle:Bomb", "connect d2 82 uid=9",
                "attach d2 /h/d/d handle:Bomb", "trigger b /h/d/d Bomb outside passOnLoss",
                "accept d2", "lose d2",
            ],
            filling: [
                "connect k# 1# uid=9", "attach k# /h/k# handle:Bang",
                "trigger a /h/k# Bang outside passOnLoss", "accept k#", "lose k#",
            ], after: ["accept d1", "lose d1"], sign: "log quarantined Bomb"),
    ]
}

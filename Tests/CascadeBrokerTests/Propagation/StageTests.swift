// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

/// The transitions of an event, each from every stage.
@Suite struct StageTests {
    private static let delivery = DeliveryIndex.imagined(1)
    private static let stop = Stop(node: NodeIndex.imagined(2), responder: 3, kind: .receive)
    private static let denied = Failure(.denied, message: "first")

    /// The stage as text, with the message of its failure.
    private static func describe(_ event: Propagation) -> String {
        switch event.stage {
        case .writing: "writing"
        case .following: "following"
        case .moving: "moving"
        case .queued: "queued"
        case .visiting: "visiting"
        case .revoked(_, let failure): "revoked \(failure.message ?? "")"
        case .rejected(let failure): "rejected \(failure.message ?? "")"
        case .parked(.held): "held"
        case .parked(.awaitingReattach): "awaiting reattach"
        }
    }

    typealias Transition = @Sendable (inout Propagation) -> Void

    /// The transitions that lead from ``Stage/moving`` to each stage.
    private static let ways: [String: [Transition]] = [
        "writing": [{ $0.beginWriting() }],
        "following": [{ $0.beginFollowing() }],
        "moving": [],
        "queued": [{ $0.queue(delivery) }],
        "visiting": [{ $0.beginVisit(delivery, at: stop) }],
        "revoked first": [{ $0.beginVisit(delivery, at: stop) }, { $0.revoke(denied) }],
        "rejected first": [
            { $0.beginVisit(delivery, at: stop) }, { $0.revoke(denied) }, { $0.endDelivery() },
        ],
        "held": [{ $0.park(.held) }],
        "awaiting reattach": [{ $0.park(.awaitingReattach) }],
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var transition: Transition
        /// The stages that have this exit, each with the stage that it leads to.
        var exits: [String: String]

        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "beginWriting", transition: { $0.beginWriting() }, exits: ["moving": "writing"]),
        Row(
            name: "beginFollowing", transition: { $0.beginFollowing() },
            exits: ["moving": "following"]),
        Row(
            name: "startMoving", transition: { $0.startMoving() },
            exits: ["writing": "moving", "following": "moving"]),
        Row(name: "queue", transition: { $0.queue(delivery) }, exits: ["moving": "queued"]),
        Row(
            name: "beginVisit", transition: { $0.beginVisit(delivery, at: stop) },
            exits: ["moving": "visiting", "queued": "visiting"]),
        Row(
            name: "revoke", transition: { $0.revoke(Failure(.denied, message: "second")) },
            exits: ["visiting": "revoked second", "revoked first": "revoked second"]),
        Row(
            name: "endDelivery", transition: { $0.endDelivery() },
            exits: [
                "queued": "moving", "visiting": "moving", "revoked first": "rejected first",
            ]),
        Row(name: "park", transition: { $0.park(.held) }, exits: ["moving": "held"]),
        Row(
            name: "unpark", transition: { $0.unpark() },
            exits: ["held": "moving", "awaiting reattach": "moving"]),
        Row(
            name: "end", transition: { _ = $0.end() },
            exits: Dictionary(uniqueKeysWithValues: ways.keys.map { ($0, "moving") })),
    ]

    @Test(arguments: rows) func `a transition changes only the stages that have this exit`(
        _ row: Row
    ) {
        for (stage, way) in Self.ways {
            var event = Propagation()
            for step in way {
                step(&event)
            }
            #expect(Self.describe(event) == stage)
            row.transition(&event)
            #expect(Self.describe(event) == row.exits[stage] ?? stage, "\(row.name) from \(stage)")
        }
    }

    @Test func `an event has a delivery only in a queue or at a node`() {
        let withDelivery = Set(
            Self.ways.keys.filter { stage in
                var event = Propagation()
                for step in Self.ways[stage] ?? [] {
                    step(&event)
                }
                return event.delivery == Self.delivery
            })
        #expect(withDelivery == ["queued", "visiting", "revoked first"])
    }

    @Test func `stops are those of the visit under way`() {
        let next = Stop(node: NodeIndex.imagined(4), responder: 0, kind: .handle)
        var event = Propagation()
        event.beginVisit(Self.delivery, at: Self.stop)
        event.extendVisit(to: next)
        #expect(event.stops == [Self.stop, next])
        event.cutVisit(before: 1)
        #expect(event.stops == [Self.stop])
        event.endDelivery()
        #expect(event.stops.isEmpty)
        event.queue(Self.delivery)
        #expect(event.stops.isEmpty)
        event.beginVisit(Self.delivery, at: next)
        #expect(event.stops == [next])
    }

    @Test func `unparking returns the reason`() {
        var event = Propagation()
        #expect(event.unpark() == nil)
        event.park(.awaitingReattach)
        #expect(event.unpark() == .awaitingReattach)
        event.park(.held)
        #expect(event.unpark() == .held)
        #expect(event.unpark() == nil)
    }
}

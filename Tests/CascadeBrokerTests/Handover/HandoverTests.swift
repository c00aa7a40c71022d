// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

@testable import CascadeBroker

@Suite struct HandoverTests {
    @Test(arguments: 0..<200)
    func `a handover is decoded as it was encoded`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let handover = Handover.random(using: &generator)
        #expect(try Handover(decoding: handover.encoded()) == handover)
    }

    @Test(arguments: 0..<50)
    func `a restored broker hands over what it restored`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let handover = Handover.random(using: &generator)
        let configuration = BrokerConfiguration(bus: "test", release: "1", processID: 1)
        var broker = Broker(configuration: configuration, at: Instant(nanoseconds: 1 << 40))
        broker.restore(handover)
        let left = broker.handover()
        #expect(left.lastRank == handover.lastRank)
        #expect(left.undelivered == handover.undelivered)
        #expect(left.values == handover.values)
        #expect(left.places == Self.awaited(handover.places, at: broker.now))
    }

    /// The places of a handover after it was restored: places that were held or in their grace time
    /// are in their grace time, and the places above them stay. The others are removed.
    private static func awaited(_ places: [Handover.Place], at now: Instant) -> [Handover.Place] {
        var left: [Handover.Place] = []
        var neededDepth: UInt16 = 0
        for place in places.reversed() {
            let isAwaited = place.isHeld || place.isInGrace
            if isAwaited || place.depth == neededDepth {
                var place = place
                place.since = place.isHeld ? now : min(place.since, now)
                place.isInGrace = isAwaited
                place.isHeld = false
                left.append(place)
                neededDepth = place.depth - 1
            }
        }
        return left.reversed()
    }

    @Test func `truncated or changed bytes never trap`() {
        var generator = SeededGenerator(seed: 7)
        var refused = 0
        for _ in 0..<2_000 {
            var bytes = Handover.random(using: &generator).encoded()
            if Bool.random(using: &generator) {
                bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            } else {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
            }
            do {
                var broker = Broker(
                    configuration: BrokerConfiguration(bus: "test", release: "1", processID: 1),
                    at: Instant(nanoseconds: 1 << 40))
                broker.restore(try Handover(decoding: bytes))
            } catch {
                refused += 1
            }
        }
        #expect(refused > 500)
    }

    @Test func `a place with an overlong path or without its parent is refused`() throws {
        func written(_ depths: some Sequence<Int>) throws -> Handover {
            var handover = Handover()
            for depth in depths {
                handover.places.append(
                    Handover.Place(
                        depth: UInt16(clamping: depth),
                        component: String(repeating: "a", count: 128), isHeld: true,
                        isInGrace: false, isPresented: false, detachesOrphans: false,
                        since: Instant(nanoseconds: 0)))
            }
            return try Handover(decoding: handover.encoded())
        }
        #expect(try written(Array(1...508) + [508, 2]).places.count == 510)
        #expect(throws: HandoverError.self) { try written(1...509) }
        #expect(throws: HandoverError.self) { try written([1, 3]) }
        #expect(throws: HandoverError.self) { try written([0]) }
    }

    @Test func `an undelivered event with unreadable fields is refused`() throws {
        var generator = SeededGenerator(seed: 1)
        var handover = Handover()
        while handover.undelivered.isEmpty {
            handover = .random(using: &generator)
        }
        handover.undelivered[0].fields = [1, 2, 3]
        #expect(throws: HandoverError.self) { try Handover(decoding: handover.encoded()) }
    }

    @Test func `the greatest age of a journal does not overflow`() {
        var configuration = BrokerConfiguration(bus: "test", release: "1", processID: 1)
        configuration.keepsDurable = true
        var broker = Broker(configuration: configuration, at: Instant(nanoseconds: 0))
        var fields = FieldWriter()
        fields.append(.age, UInt64.max)
        var effects: [Effect] = []
        broker.handle(
            .recovered([fields.bytes], fault: nil), at: Instant(nanoseconds: 0), into: &effects)
        #expect(broker.traffic.durable.age(at: Instant(nanoseconds: 0)) < .max - 1 << 60)
    }

    @Test func `unknown records and parts of a newer release are skipped`() throws {
        var writer = HandoverWriter()
        writer.record(.ranks) { record in
            record.append(UInt64(3))
            record.append("more than there was")
        }
        var bytes = Handover.signature + writer.bytes
        bytes += [200, 2, 0, 0, 0, 1, 2]
        #expect(try Handover(decoding: bytes).lastRank == 3)
    }

    @Test func `a handover of an unknown format is refused as that of another release`() {
        #expect {
            try Handover(decoding: Array("cascade handover 2\n".utf8))
        } throws: { error in
            "\(error)".contains("release")
        }
    }

    @Test func `restored entries beyond lowered limits are dropped`() {
        var generator = SeededGenerator(seed: 3)
        var configuration = BrokerConfiguration(bus: "test", release: "1", processID: 1)
        configuration.limits.nodes = 3
        configuration.limits.depth = 2
        configuration.limits.keptValues = 1
        configuration.limits.undelivered = 2
        for _ in 0..<100 {
            var broker = Broker(configuration: configuration, at: Instant(nanoseconds: 1 << 40))
            broker.restore(Handover.random(using: &generator))
            let left = broker.handover()
            #expect(left.places.count <= 2)
            #expect(left.places.allSatisfy { $0.depth <= 2 })
            #expect(left.values.count <= 1)
            #expect(left.undelivered.count <= 2)
        }
    }
}

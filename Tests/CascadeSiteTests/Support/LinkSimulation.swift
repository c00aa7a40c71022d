// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeTestSupport

/// A fault that violates a rule of the link on purpose. The checks must find it.
enum LinkBug: CaseIterable {
    /// No side asks for a message that is missing.
    case noRequest
    /// A side acknowledges what waits, before its owner has taken it.
    case earlyAcknowledgement
    /// A side sends more than the window.
    case ignoredWindow
    /// A side takes a message twice.
    case takenTwice
    /// A side takes a message in place of a missing one.
    case takenOutOfOrder
    /// A side forgets a message that is not acknowledged.
    case forgottenMessage
}

/// Two ends of a link on simulated time, over a transport that loses, repeats, delays and reorders
/// messages, and breaks the connections of the sides.
struct LinkSimulation {
    struct Faults {
        var lossPercent = 0
        var repeatPercent = 0
        /// The delay of a message, in milliseconds. A range reorders messages.
        var delay = 1...1
        /// Whether connections break, for at most 3 s, and owners have no room at times.
        var isUnsteady = false

        static func random(_ generator: inout SeededGenerator) -> Faults {
            Faults(
                lossPercent: generator.pick([0, 1, 5, 20]),
                repeatPercent: generator.pick([0, 2, 20]),
                delay: generator.pick([1...1, 1...5, 5...60, 150...150, 100...400]),
                isUnsteady: generator.isLucky(60))
        }
    }

    private struct Side {
        var link: Link
        /// The frames that the link accepted.
        var sent: [[UInt8]] = []
        var deliveredCount = 0
        var refused: [UInt8]?
        var isPaused = false
        var reconnectsAt: Int?
        var lastArrival = 0
        /// The sizes of the published messages and the frames up to them, by sequence.
        var published: [(byteCount: Int, frameCount: Int)] = []
        var acknowledged = 0
        /// The greatest sequence that has arrived.
        var arrived: UInt64 = 0
    }

    private struct Flight {
        var time: Int
        var receiver: Int
        var bytes: [UInt8]
    }

    let settings: LinkSettings
    private var generator: SeededGenerator
    private var faults: Faults
    private let bug: LinkBug?
    private var sides: [Side]
    private var flights: [Flight] = []
    private var nextBreak = 0
    private(set) var now = 0
    private(set) var findings: [String] = []
    /// The messages that the sides published.
    private(set) var publicationCount = 0
    /// The messages that carried frames again.
    private(set) var repetitionCount = 0

    init(seed: UInt64, faults: Faults? = nil, bug: LinkBug? = nil) {
        generator = SeededGenerator(seed: seed)
        self.faults = faults ?? .random(&generator)
        self.bug = bug
        settings = LinkSettings(window: generator.pick([600, 2_000, 20_000]), maximum: 1_000)
        let other = LinkSettings(
            window: bug == .ignoredWindow ? 8 * settings.window : settings.window, maximum: 1_000)
        sides = [
            Side(link: Link(other, at: .zero)), Side(link: Link(settings, at: .zero)),
        ]
    }

    var ends: [LinkEnd] {
        sides.compactMap(\.link.end)
    }

    // MARK: - Running

    /// Sends frames both ways under the faults, then lets the link settle without them, and checks that
    /// each frame came once and in order.
    mutating func run(frameCount: Int) {
        var rest = [frameCount, frameCount]
        while rest != [0, 0], ends.isEmpty {
            let side = generator.below(2)
            let count = min(rest[side], 1 + generator.below(6))
            for _ in 0..<count where sides[side].refused == nil {
                send(randomFrame(), from: side)
                rest[side] -= 1
            }
            flush(side)
            if faults.isUnsteady {
                disturb()
            }
            advance(by: generator.pick([0, 1, 5, 40]))
        }
        settle()
        check()
    }

    /// Ends all faults, and runs until everything is acknowledged or a side ends.
    private mutating func settle() {
        faults = Faults()
        for side in 0..<2 {
            reconnect(side)
            resume(side)
        }
        let limit = now + 60_000
        while ends.isEmpty, now < limit,
            sides.contains(where: { $0.refused != nil || $0.link.unacknowledgedByteCount > 0 })
        {
            advance(by: 50)
            resume(0)
            resume(1)
        }
        advance(by: 1_000)
    }

    /// Moves the time, and performs all that is due.
    mutating func advance(by milliseconds: Int) {
        let end = now + milliseconds
        while let next = nextTime(), next <= end {
            now = max(now, next)
            arrive()
            for side in 0..<2 {
                if let time = sides[side].reconnectsAt, time <= now {
                    reconnect(side)
                }
                if let deadline = sides[side].link.deadline, deadline <= .milliseconds(now) {
                    act(side) { $0.timePassed(at: $1, into: &$2) }
                }
            }
        }
        now = end
    }

    private func nextTime() -> Int? {
        var next = Int.max
        for flight in flights {
            next = min(next, flight.time)
        }
        for side in sides {
            next = min(next, side.link.deadline?.millisecondsUp ?? next, side.reconnectsAt ?? next)
        }
        return next == .max ? nil : next
    }

    private mutating func arrive() {
        while let index = flights.firstIndex(where: { $0.time <= now }) {
            let flight = flights.remove(at: index)
            let side = flight.receiver
            guard sides[side].reconnectsAt == nil else {
                continue
            }
            sides[side].lastArrival = now
            receive(flight.bytes, at: side)
        }
    }

    private mutating func receive(_ bytes: [UInt8], at side: Int) {
        guard let message = try? LinkMessage(parsing: bytes, maximum: 1_000) else {
            findings.append("a published message is not valid")
            return
        }
        sides[side].acknowledged = max(sides[side].acknowledged, Int(message.taken))
        if message.sequence > sides[side].arrived {
            sides[side].arrived += 1
        } else if bug == .takenTwice, case .frames(let frames) = message.body {
            for frame in frames {
                deliver(bytes[frame.bytes], at: side)
            }
        }
        act(side) { $0.received(bytes, at: $1, into: &$2) }
    }

    // MARK: - Actions

    private mutating func randomFrame() -> [UInt8] {
        let count = generator.isLucky(5) ? generator.below(990) : generator.below(40)
        // The frame differs from all others, so that a lost or repeated one is seen.
        let mark = UInt16(truncatingIfNeeded: sides[0].sent.count + 1_000 * sides[1].sent.count)
        return [UInt8(mark & 0xFF), UInt8(mark >> 8)] + [UInt8](repeating: 7, count: count)
    }

    mutating func send(_ frame: [UInt8], from side: Int) {
        switch sides[side].link.send(frame) {
        case .accepted: sides[side].sent.append(frame)
        case .full: sides[side].refused = frame
        case .tooLong: findings.append("a frame of \(frame.count) bytes is too long")
        }
    }

    mutating func flush(_ side: Int) {
        act(side) { $0.flush(at: $1, into: &$2) }
    }

    private mutating func disturb() {
        let side = generator.below(2)
        if generator.isLucky(3) {
            sides[side].link.pause()
            sides[side].isPaused = true
        } else if generator.isLucky(10) {
            resume(side)
        }
        // Breaks have pauses between them, so that few links are silent for the patience.
        if generator.isLucky(1), now >= nextBreak {
            sides[side].link.disconnected()
            sides[side].reconnectsAt = now + generator.below(3_000)
            nextBreak = now + 6_000
            // The transport loses what it carries.
            flights.removeAll { _ in generator.isLucky(50) }
        }
    }

    private mutating func reconnect(_ side: Int) {
        if sides[side].reconnectsAt != nil {
            sides[side].reconnectsAt = nil
            act(side) { $0.connected(at: $1, into: &$2) }
        }
    }

    private mutating func resume(_ side: Int) {
        if sides[side].isPaused {
            act(side) { $0.resume(byteCount: 500, at: $1, into: &$2) }
            sides[side].isPaused = sides[side].link.isPaused
        }
    }

    private mutating func act(
        _ side: Int, _ change: (inout Link, Duration, inout [LinkEffect]) -> Void
    ) {
        var effects: [LinkEffect] = []
        change(&sides[side].link, .milliseconds(now), &effects)
        for effect in effects {
            perform(effect, of: side)
        }
    }

    private mutating func perform(_ effect: LinkEffect, of side: Int) {
        switch effect {
        case .publish(let bytes):
            publish(bytes, from: side)
        case .deliver(let frame):
            deliver(frame, at: side)
        case .refusePart:
            findings.append("a part of a frame arrived")
        case .room:
            if let frame = sides[side].refused {
                sides[side].refused = nil
                send(frame, from: side)
                flush(side)
            }
        case .ended(let end):
            checkEnd(end, of: side)
        }
    }

    // MARK: - The transport

    private mutating func publish(_ bytes: [UInt8], from side: Int) {
        publicationCount += 1
        var bytes = bytes
        guard let message = try? LinkMessage(parsing: bytes, maximum: 1_000) else {
            findings.append("a published message is not valid")
            return
        }
        if case .frames(let frames) = message.body {
            recordPublication(message.sequence, bytes.count, frames.count, of: side)
        }
        if message.body == .control(.again), bug == .noRequest {
            return
        }
        if bug == .earlyAcknowledgement {
            for index in 0..<8 {
                bytes[8 + index] = UInt8(truncatingIfNeeded: sides[side].arrived >> (8 * index))
            }
        }
        if bug == .takenOutOfOrder, message.sequence > 1, generator.isLucky(5) {
            bytes[0] &-= 1
        }
        if bug == .forgottenMessage, message.sequence % 16 == 15 {
            return
        }
        checkAcknowledgement(
            bug == .earlyAcknowledgement ? sides[side].arrived : message.taken, of: side)
        for _ in 0..<(generator.isLucky(faults.repeatPercent) ? 2 : 1) {
            guard !generator.isLucky(faults.lossPercent) else {
                continue
            }
            let delay = generator.pick(faults.delay)
            flights.append(Flight(time: now + delay, receiver: 1 - side, bytes: bytes))
        }
    }

    /// Loses all messages under way to a side, while its connection stays.
    mutating func loseFlights(to side: Int) {
        flights.removeAll { $0.receiver == side }
    }

    // MARK: - Checks

    private mutating func recordPublication(
        _ sequence: UInt64, _ byteCount: Int, _ frameCount: Int, of side: Int
    ) {
        guard sequence == UInt64(sides[side].published.count + 1) else {
            repetitionCount += 1
            return
        }
        let before = sides[side].published.last?.frameCount ?? 0
        sides[side].published.append((byteCount, before + frameCount))
        let open = sides[side].published[min(sides[side].acknowledged, Int(sequence) - 1)...]
        let openByteCount = open.reduce(0) { $0 + $1.byteCount }
        if open.count > 1, openByteCount > settings.window {
            findings.append("\(openByteCount) bytes are out, beyond the window")
        }
    }

    /// What a side acknowledges, its owner has.
    private mutating func checkAcknowledgement(_ sequence: UInt64, of side: Int) {
        let taken = Int(sequence)
        let publishedCount = sides[1 - side].published.count
        guard
            taken == 0
                || taken <= publishedCount
                    && sides[1 - side].published[taken - 1].frameCount <= sides[side].deliveredCount
        else {
            findings.append("side \(side) acknowledges \(taken), which it has not taken")
            return
        }
    }

    private mutating func deliver(_ frame: ArraySlice<UInt8>, at side: Int) {
        let index = sides[side].deliveredCount
        sides[side].deliveredCount += 1
        guard index < sides[1 - side].sent.count, sides[1 - side].sent[index][...] == frame else {
            findings.append("frame \(index) at side \(side) is not the next one")
            return
        }
    }

    private mutating func checkEnd(_ end: LinkEnd, of side: Int) {
        switch end {
        case .silent where now - sides[side].lastArrival >= 5_000: break
        case .closedByPeer where sides[1 - side].link.end == .silent(.seconds(5)): break
        default: findings.append("side \(side) ended: \(end)")
        }
    }

    private mutating func check() {
        guard ends.isEmpty else {
            return
        }
        for side in 0..<2 where sides[side].deliveredCount != sides[1 - side].sent.count {
            findings.append(
                "side \(side) got \(sides[side].deliveredCount) of \(sides[1 - side].sent.count) frames"
            )
        }
        if sides.contains(where: { $0.link.unacknowledgedByteCount > 0 }) {
            findings.append("a frame is never acknowledged")
        }
    }

    /// The frames that a side has got.
    func deliveredCount(at side: Int) -> Int {
        sides[side].deliveredCount
    }
}

extension Duration {
    /// The whole milliseconds, rounded up.
    var millisecondsUp: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000
            + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

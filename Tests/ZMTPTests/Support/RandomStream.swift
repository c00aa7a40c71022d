// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport

@testable import ZMTP

/// The bytes of a well-behaved client from a seed, and the events that they must give a ROUTER.
struct RandomStream {
    private(set) var bytes: [UInt8] = []
    private(set) var records: [Receiver.Record] = []

    /// Where a frame begins, for mutations that understand the framing.
    private(set) var frameStarts: [Int] = []

    init(_ generator: inout SeededGenerator, messageCount: Int = 12) {
        appendStart(&generator)
        for _ in 0..<messageCount {
            switch generator.below(5) {
            case 0: appendCommand(&generator)
            default: appendMessage(&generator)
            }
        }
    }

    private mutating func appendStart(_ generator: inout SeededGenerator) {
        bytes += Octets.greeting(minor: UInt8(generator.below(3)))
        var properties = [Octets.property("Socket-Type", Array("DEALER".utf8))]
        if generator.isLucky(50) {
            let identity = (0..<generator.below(256)).map { _ in UInt8(1 + generator.below(255)) }
            properties.append(Octets.property("iDENTITY", identity))
        }
        if generator.isLucky(30) {
            properties.append(Octets.property("X-Colour", randomBytes(below: 300, &generator)))
        }
        properties.shuffle(using: &generator)
        append(Octets.command("READY", properties.flatMap(\.self)))
        records = [
            .sent(Receiver.records(of: [], .router).flatMap(\.sentBytes)),
            .sent(ConnectionConfiguration.router.ready), .opened,
        ]
    }

    private mutating func appendMessage(_ generator: inout SeededGenerator) {
        let count = 1 + generator.below(5)
        var bodies: [[UInt8]] = []
        for index in 0..<count {
            let body = randomBytes(below: generator.pick([3, 300, 300, 3_000]), &generator)
            bodies.append(body)
            append(
                Octets.frame(
                    flags: index < count - 1 ? 1 : 0, body, isLong: generator.isLucky(10)))
            if index < count - 1, generator.isLucky(20) {
                appendCommand(&generator)
            }
        }
        records.append(.message(bodies))
    }

    private mutating func appendCommand(_ generator: inout SeededGenerator) {
        let data = randomBytes(below: 17, &generator)
        switch generator.below(3) {
        case 0:
            append(Octets.command("PING", [0, 0] + data))
            records.append(.sent(Octets.command("PONG", data)))
        case 1:
            append(Octets.command("PONG", data))
            records.append(.pong(data))
        default:
            append(Octets.command("Noted", data))
            records.append(.unknownCommand("Noted"))
        }
    }

    private mutating func append(_ frame: [UInt8]) {
        frameStarts.append(bytes.count)
        bytes += frame
    }

    /// Bodies are parts of one random block: to draw each byte takes long.
    private static let block: [UInt8] = {
        var generator = SeededGenerator(seed: 0)
        return (0..<10_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }()

    private func randomBytes(
        below bound: Int, _ generator: inout SeededGenerator
    ) -> [UInt8] {
        let start = generator.below(Self.block.count - bound)
        return Array(Self.block[start..<start + generator.below(bound)])
    }
}

extension Receiver.Record {
    var sentBytes: [UInt8] {
        if case .sent(let bytes) = self { bytes } else { [] }
    }
}

extension [UInt8] {
    /// The bytes in pieces of random sizes.
    func pieces(_ generator: inout SeededGenerator) -> [ArraySlice<UInt8>] {
        let sizeMax = generator.pick([2, 10, 100, 1_000, 20_000])
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < count {
            let end = Swift.min(count, start + 1 + generator.below(sizeMax))
            pieces.append(self[start..<end])
            start = end
        }
        return pieces
    }
}

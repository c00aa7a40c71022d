// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import Testing

/// A gate with two children, what it did, and messages that a test writes.
struct GateWorld {
    /// Why a link that the gate does not know is closed.
    static let unknownLink = "the gate does not know this link"

    var gate: Gate
    var effects: [GateEffect] = []
    var now = 0

    init(maxPayload: Int = 1_048_576) throws {
        gate = Gate(
            try GateConfiguration(
                name: "hq", bus: "hq-bus", children: ["ulm": "/shop/ulm", "bonn": "/shop/bonn"],
                maxPayload: maxPayload))
    }

    static func request(
        _ link: UInt64, instance: String = "a", version: String = OpenRequest.version
    ) -> OpenRequest {
        OpenRequest(
            version: version, link: LinkID(link), instance: instance, host: "host-\(instance)",
            program: "test")
    }

    /// Asks for a link, and sends its first message if the gate offers it.
    mutating func open(_ request: OpenRequest, from child: SiteName = "ulm") {
        let before = effects.count
        ask(request, from: child)
        for case .publish(_, .open, let bytes) in effects[before...] {
            if case .accepted? = try? OpenAnswer(parsing: bytes) {
                keepAlive(on: request.link, from: child)
            }
        }
    }

    /// Asks for a link, and sends nothing more.
    mutating func ask(_ request: OpenRequest, from child: SiteName = "ulm") {
        receive(request.encoded, from: child, on: .open)
    }

    /// Sends a message without frames on a link.
    mutating func keepAlive(on link: LinkID, from child: SiteName = "ulm") {
        receive(
            LinkMessage.encoded(.acknowledgement, taken: 0), from: child, on: .link(link))
    }

    mutating func receive(
        _ message: [UInt8], from child: SiteName = "ulm", on address: LinkAddress
    ) {
        gate.received(message, from: child, on: address, at: .milliseconds(now), into: &effects)
    }

    mutating func connect(_ link: UInt64) {
        gate.busConnected(
            LinkKey("ulm", LinkID(link)), at: .milliseconds(now), into: &effects)
    }

    mutating func disconnect(_ link: UInt64, _ reason: String = "closed") {
        gate.busDisconnected(
            LinkKey("ulm", LinkID(link)), reason, at: .milliseconds(now), into: &effects)
    }

    mutating func pass(to milliseconds: Int) {
        now = milliseconds
        gate.timePassed(at: .milliseconds(now), into: &effects)
    }

    // MARK: - What the gate did

    /// Returns and forgets the answers to requests.
    mutating func answers() throws -> [OpenAnswer] {
        defer { effects = [] }
        return try effects.compactMap {
            if case .publish(_, .open, let bytes) = $0 {
                try OpenAnswer(parsing: bytes)
            } else {
                nil
            }
        }
    }

    /// Returns and forgets the first answer, if it refuses the request.
    mutating func refusal() throws -> OpenRefusal? {
        guard case .refused(_, let refusal)? = try answers().first else {
            return nil
        }
        return refusal
    }

    /// The reasons of the closes that were published.
    var closes: [LinkAddress: String] {
        var closes: [LinkAddress: String] = [:]
        for case .publish(_, let address, let bytes) in effects where address != .open {
            if let message = try? LinkMessage(parsing: bytes, maximum: 1 << 20),
                case .control(.close(let reason)) = message.body
            {
                closes[address] = reason
            }
        }
        return closes
    }

    var delivered: [[UInt8]] {
        effects.compactMap { if case .deliver(_, let frame) = $0 { Array(frame) } else { nil } }
    }

    var disconnected: [LinkID] {
        effects.compactMap { if case .disconnect(let key) = $0 { key.link } else { nil } }
    }

    static func message(_ sequence: UInt8, _ frames: [UInt8]...) -> [UInt8] {
        frames.reduce([sequence] + [UInt8](repeating: 0, count: 15)) { message, frame in
            message + (0..<4).map { UInt8(truncatingIfNeeded: frame.count >> (8 * $0)) } + frame
        }
    }
}

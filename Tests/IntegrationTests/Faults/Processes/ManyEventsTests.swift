// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct ManyEventsTests {
        private static let eventCount = 1_000

        @Test func `a stopping daemon sends 500 outcomes and ends sessions with shuttingDown`()
            throws
        {
            try FaultBus.open { bus in
                let handler = try RawPeer.greeted(bus.endpoint)
                _ = try handler.attach(
                    NodeDeclaration(
                        path: "/kitchen",
                        responders: [ResponderDeclaration(.handle, EventName("Order"))],
                        prefetch: 2_048))
                let origin = try RawPeer.greeted(bus.endpoint)
                let fields = RaisedFields(name: EventName("Order"), origin: "/kitchen").fields
                for sequence in 1...UInt64(Self.eventCount) {
                    try origin.send(Header.trigger(sequence, time: 60_000), fields: fields)
                }
                #expect(try origin.counter("eventsUnderWay") == Self.eventCount)
                bus.daemon.signal(SIGTERM)
                // Half of the events are answered while the daemon waits for all.
                for _ in 0..<(Self.eventCount / 2) {
                    let visit = try handler.nextVisit()
                    try handler.send(
                        Verdict(delivery: visit.id, node: visit.node, code: .handled))
                }
                #expect(try bus.daemon.end().exitCode == 0)
                for _ in 0..<(Self.eventCount / 2) {
                    #expect(try origin.next(OutcomeMessage.self).code == .handled)
                }
                #expect(try origin.next(Violation.self).code == .shuttingDown)
                try bus.startDaemon()
                try bus.wait("/witness", "live")
            }
        }

        // Far more than the daemon sends to one node at a time.
        @Test(.onlyBuiltin("libzmq gets a copy of its own of each large message"))
        func `a subscriber that does not read has a bounded queue, and others get all`() throws {
            try FaultBus.open { bus in
                let still = try bus.attach("/still", ["--subscribe", "Menu"])
                let reader = try RawPeer.greeted(bus.endpoint)
                let node = try reader.attach(
                    NodeDeclaration(path: "/reader", subscriptions: [EventName("Menu")]))
                still.stop()
                let publisher = try RawPeer.greeted(bus.endpoint)
                let header = Header(
                    .publish, flags: .addressedInFields, time: 3_000,
                    code: PublishingDestination.all.rawValue)
                let fields = RaisedFields(name: EventName("Menu")).fields
                let payload = [UInt8](repeating: 0x20, count: 1 << 20)
                for sequence in 1...200 as ClosedRange<UInt64> {
                    var publish = header
                    publish.sequence = sequence
                    publish.fieldsLength = UInt32(fields.count)
                    try publisher.send(publish.encoded() + fields + payload)
                    let delivery = try reader.next().header
                    try #require(delivery.command == .delivery)
                    try reader.send(
                        Verdict(delivery: delivery.id, node: node, code: .handled))
                }
                for _ in 1...200 {
                    let ended = try publisher.next(OutcomeMessage.self)
                    #expect(ended.code == .delivered && ended.recipients == ["/reader"])
                    #expect(ended.failure?.node == "/still")
                }
                let megabytes = try residentMegabytes(of: bus.daemon)
                print("with a subscriber that does not read: \(megabytes) MiB")
                #expect(megabytes < 200)
                still.kill()
                #expect(try still.end().exitCode == nil)
            }
        }

        private func residentMegabytes(of program: SpawnedProgram) throws -> Int {
            let status = try String(
                contentsOfFile: "/proc/\(program.processID)/status", encoding: .utf8)
            let line = try #require(
                status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            let words = line.split { $0 == " " || $0 == "\t" }
            return try #require(words.compactMap { Int($0) }.first) / 1_024
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Testing

extension Faults {
    @FaultThread
    @Suite struct CapacityTests {
        /// The memory of a process in KiB.
        private struct Memory: CustomStringConvertible {
            var resident: Int
            /// Without the pages of programs and libraries, which processes share.
            var own: Int

            var description: String {
                "\(resident) KiB, \(own) KiB of them its own"
            }
        }

        @Test(.onlyBuiltin("libzmq has buffers of 26 KiB for each connection"))
        func `a thousand sessions with a node each take 40 MiB, and each gets a publication`()
            throws
        {
            // The peers answer no beats, and connecting them all takes a while.
            try FaultBus.open(["--beat", "60s"]) { bus in
                let alone = try memory(of: bus.daemon)
                let peers = try (0..<1_000).map { _ in try RawPeer.greeted(bus.endpoint) }
                let greeted = try memory(of: bus.daemon)
                for (number, peer) in peers.enumerated() {
                    _ = try peer.attach(
                        NodeDeclaration(
                            path: NodePath("/group-\(number % 10)/node-\(number)"),
                            responders: [ResponderDeclaration(.handle, EventName("Order"))],
                            subscriptions: [EventName("Menu")]))
                }
                let counters = try bus.counters()
                #expect(counters["nodes.live"] == 1_001 && counters["nodes.vacant"] == 10)
                let full = try memory(of: bus.daemon)
                print("a daemon alone:", alone)
                print("with 1,000 sessions:", greeted)
                print("with 1,000 nodes:", full)
                #expect(full.own <= 40 * 1_024)
                try expectDelivery(bus, to: peers)
            }
        }

        private func expectDelivery(_ bus: FaultBus, to peers: [RawPeer]) throws {
            let publisher = try RawPeer.greeted(bus.endpoint)
            let header = Header(
                .publish, flags: .addressedInFields, sequence: 1, time: 10_000,
                code: PublishingDestination.all.rawValue)
            try publisher.send(header, fields: RaisedFields(name: EventName("Menu")).fields)
            for peer in peers {
                let delivery = try peer.next().header
                try #require(delivery.command == .delivery)
            }
        }

        private func memory(of program: SpawnedProgram) throws -> Memory {
            let file = URL(filePath: "/proc/\(program.processID)/status")
            let lines = String(decoding: try Data(contentsOf: file), as: UTF8.self)
                .split(separator: "\n")
            func size(_ name: String) throws -> Int {
                let line = try #require(lines.first { $0.hasPrefix(name) })
                return try #require(
                    line.split { $0 == " " || $0 == "\t" }.compactMap { Int($0) }.first)
            }
            return Memory(resident: try size("VmRSS:"), own: try size("RssAnon:"))
        }
    }
}

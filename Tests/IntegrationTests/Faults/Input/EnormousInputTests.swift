// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct EnormousInputTests {
        private func refuse(
            _ peer: RawPeer, _ message: some WireMessage, _ code: ErrorCode, _ words: String
        ) throws {
            try peer.send(message)
            let refused = try peer.next(Refused.self)
            #expect(refused.code == code, "\(refused.sentence)")
            #expect(refused.sentence.contains(words), "\(refused.sentence)")
            #expect(refused.sentence.utf8.count < 1_000)
        }

        private func set(_ settings: [EnvironmentSetting]) -> SetEnvironment {
            SetEnvironment(
                request: 7, path: "/kitchen", Assignments(settings: settings))
        }

        @Test func `oversized values, keys, nesting and subscriptions name the limit they exceed`()
            throws
        {
            try FaultBus.open { bus in
                let peer = try RawPeer.greeted(bus.endpoint)
                let key = EventName("menu")
                let long = "\"" + String(repeating: "x", count: 1 << 20) + "\""
                try refuse(
                    peer, set([EnvironmentSetting(key, long)]), .limitReached,
                    "valueBytes")
                let many = try (0..<10_000).map { number in
                    EnvironmentSetting(try EventName("key\(number)"), "1")
                }
                try refuse(peer, set(many), .limitReached, "keysPerNode")
                let deep =
                    String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
                try refuse(
                    peer, set([EnvironmentSetting(key, deep)]), .badValue, "64")
                for (count, limit) in [
                    (10_000, "subscriptionsPerNode"), (250_000, "declarationsPerSession"),
                ] {
                    let names = [EventName](repeating: key, count: count)
                    try refuse(
                        peer,
                        Attach(
                            request: 8, nodes: [NodeDeclaration(path: "/n", subscriptions: names)]),
                        .limitReached, limit)
                }
                try peer.query()
            }
        }

        // The predicate makes the daemon read the payload; the list makes the command line read it.
        @Test func `a payload nested 100,000 deep is read by the daemon and the command line`()
            throws
        {
            try FaultBus.open { bus in
                let deep =
                    String(repeating: "[", count: 100_000)
                    + String(repeating: "]", count: 100_000)
                let node = try bus.attach(
                    "/kitchen", ["--handle", "Order", "--when", "table > 3"])
                let all = try bus.attach("/bar", ["--handle", "Order"])
                let origin = try RawPeer.greeted(bus.endpoint)
                for (number, path) in ["/kitchen", "/bar"].enumerated() {
                    let fields = RaisedFields(
                        name: EventName("Order"), origin: try NodePath(path)
                    ).fields
                    var trigger = Header.trigger(UInt64(number + 1))
                    trigger.fieldsLength = UInt32(fields.count)
                    try origin.send(
                        trigger.encoded() + fields + Array(#"{"a":\#(deep)}"#.utf8))
                    let ended = try origin.next(OutcomeMessage.self)
                    #expect(ended.code == (path == "/bar" ? .handled : .unhandled))
                }
                let list = try bus.run(["undelivered", "--json"])
                #expect(list.exitCode == 0, "\(list.diagnostics.text)")
                #expect(list.output.text.contains(#""origin":"/kitchen""#))
                #expect(!list.output.text.contains(#""origin":"/bar""#))
                for program in [node, all] {
                    program.signal(SIGTERM)
                    #expect(try program.end().exitCode == 0)
                }
            }
        }

        @Test func `a move of a node below itself is refused`() throws {
            try FaultBus.open { bus in
                let house = try bus.attach("/house", ["--handle", "Order"])
                let kitchen = try bus.attach("/house/kitchen", ["--observe", "Order"])
                let before = try bus.tree()
                for parent in ["/house", "/house/kitchen"] {
                    let ending = try bus.run(["move", "/house", parent, "--yes"])
                    #expect(ending.exitCode == 64, "\(ending.diagnostics.text)")
                }
                #expect(try bus.tree() == before)
                for program in [kitchen, house] {
                    program.signal(SIGTERM)
                    #expect(try program.end().exitCode == 0)
                }
            }
        }
    }
}

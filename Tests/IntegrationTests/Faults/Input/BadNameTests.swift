// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct BadNameTests {
        private static let badComponents = [
            "", "..", ".hidden", "-dash", "a b", "nul\u{0}byte", "line\nfeed", "bell\u{7}",
            "\u{1B}[31mred", "\u{202E}gnp.exe", "e\u{301}", "\u{301}", "küche", "\u{FEFF}bom",
            String(repeating: "x", count: 129), String(repeating: "y", count: 10_000),
        ]

        @Test func `invalid names and paths are refused with escaped errors and change nothing`()
            throws
        {
            try FaultBus.open { bus in
                let before = try bus.tree()
                let peer = try RawPeer.greeted(bus.endpoint)
                for component in Self.badComponents {
                    try refuse(peer, component)
                }
                for path in ["kitchen", "/kitchen/", "//", "", "/a/../b"] {
                    try refuse(peer, attaching: .field(.path, Array(path.utf8)), .badPath)
                }
                let root = [UInt8].field(.path, Array("/".utf8))
                let subscription = [UInt8].field(.subscription, Array("Bell".utf8))
                try refuse(peer, attaching: root + subscription, .rootReserved)
                #expect(try bus.tree() == before)
            }
        }

        private func refuse(_ peer: RawPeer, _ component: String) throws {
            let path = [UInt8].field(.path, Array("/kitchen".utf8))
            try refuse(
                peer, attaching: .field(.path, Array("/kitchen/\(component)".utf8)), .badPath)
            let subscription = [UInt8].field(.subscription, Array(component.utf8))
            try refuse(peer, attaching: path + subscription, .badName)
            let count = component.utf8.count
            let responder = [1, UInt8(count & 0xFF), UInt8(count >> 8)] + Array(component.utf8)
            try refuse(peer, attaching: path + .field(.responder, responder), .badName)
        }

        private func refuse(
            _ peer: RawPeer, attaching declaration: [UInt8], _ code: ErrorCode
        ) throws {
            try peer.send(Header(.attach, id: 3), fields: .field(.node, declaration))
            let refused = try peer.next(Refused.self)
            #expect(refused.code == code, "\(refused.sentence)")
            #expect(refused.request == 3)
            #expect(refused.sentence.isShowable, "\(refused.sentence.unicodeScalars)")
            #expect(refused.sentence.utf8.count < 1_000)
        }

        @Test func `an event with an invalid name or origin is refused; its session continues`()
            throws
        {
            try FaultBus.open { bus in
                let peer = try RawPeer.greeted(bus.endpoint)
                for (place, component) in Self.badComponents.enumerated() {
                    let sequence = UInt64(place + 1)
                    let name = [UInt8].field(.name, Array(component.utf8))
                    try peer.send(Header.trigger(sequence), fields: name)
                    let refused = try peer.next(Refused.self)
                    #expect(refused.code == .badName && refused.sequence == sequence)
                    #expect(refused.sentence.isShowable)
                }
                let last = UInt64(Self.badComponents.count)
                let name = RaisedFields(name: EventName("Order")).fields
                let origin = [UInt8].field(.origin, Array("/a\u{1B}".utf8))
                try peer.send(Header.trigger(last + 1), fields: name + origin)
                #expect(try peer.next(Refused.self).code == .badPath)
                let nowhere = [UInt8].field(.origin, Array("/nowhere".utf8))
                try peer.send(Header.trigger(last + 2), fields: name + nowhere)
                #expect(try peer.next(Refused.self).code == .noSuchNode)
                // A refused event returns its credit.
                try peer.send(Header.trigger(last + 3), fields: name)
                #expect(try peer.next(OutcomeMessage.self).code == .unhandled)
            }
        }

        // An argument cannot contain NUL.
        @Test func `the command line refuses invalid names and paths and quotes them escaped`()
            throws
        {
            try FaultBus.open { bus in
                let cases = [
                    ("kitchen", "kitchen"), ("/..", ".."), ("/a b", "a b"), ("//", "//"),
                    ("/\u{1B}[31mred", "[31mred"), ("/\u{202E}gnp", "gnp"), ("/e\u{301}", "301"),
                    ("/" + String(repeating: "y", count: 10_000), "10000 bytes"),
                ]
                for (path, quoted) in cases {
                    try expectUsage(
                        bus.run(["attach", path, "--handle", "Order"]), quoting: quoted)
                    try expectUsage(bus.run(["tree", path]), quoting: quoted)
                }
                let names = [("a/b", "a/b"), ("\u{1B}[31mred", "[31mred"), ("", "empty")]
                for (name, quoted) in names {
                    try expectUsage(bus.run(["trigger", name]), quoting: quoted)
                    try expectUsage(
                        bus.run(["attach", "/kitchen", "--handle", name]), quoting: quoted)
                }
            }
        }

        private func expectUsage(
            _ ending: SpawnedProgram.Ending, quoting words: String
        ) throws {
            #expect(ending.exitCode == 64)
            #expect(ending.output.bytes.isEmpty)
            let text = ending.diagnostics.text
            #expect(text.contains(words), "\(text.debugDescription)")
            #expect(text.drivesNoTerminal, "\(text.debugDescription)")
        }

        @Test func `a path of too many components is refused, and the longest allowed path works`()
            throws
        {
            try FaultBus.open { bus in
                let before = try bus.tree()
                let peer = try RawPeer.greeted(bus.endpoint)
                let deepest = String(repeating: "/a", count: 1_024)
                let path = try NodePath(deepest + "/a")
                try peer.send(Attach(request: 1, nodes: [NodeDeclaration(path: path)]))
                let refused = try peer.next(Refused.self)
                #expect(refused.code == .tooDeep)
                #expect(refused.sentence.contains("1024") && refused.sentence.contains("1025"))
                #expect(try bus.tree() == before)
                let ending = try bus.run(["attach", path.description, "--handle", "Order"])
                #expect(ending.exitCode == 64)
                #expect(try bus.tree() == before)
                // The deepest allowed path works, and so does an event from there.
                let node = try peer.attach(NodeDeclaration(path: NodePath(deepest)))
                let name = RaisedFields(name: EventName("Order")).fields
                var trigger = Header.trigger(1)
                trigger.node = node
                try peer.send(trigger, fields: name)
                #expect(try peer.next(OutcomeMessage.self).code == .unhandled)
                #expect(try bus.tree().nodes.count == before.nodes.count + 1_024)
            }
        }

        @Test func `an attach with a path that its session holds or repeats is refused as a whole`()
            throws
        {
            try FaultBus.open { bus in
                let peer = try RawPeer.greeted(bus.endpoint)
                _ = try peer.attach(NodeDeclaration(path: "/kitchen"))
                let before = try bus.tree()
                let attempts: [[NodePath]] = [["/kitchen"], ["/new", "/kitchen"], ["/a", "/a"]]
                for paths in attempts {
                    let nodes = paths.map { NodeDeclaration(path: $0, takesOver: true) }
                    try peer.send(Attach(request: 9, nodes: nodes))
                    let refused = try peer.next(Refused.self)
                    #expect(refused.code == .pathTaken && refused.request == 9)
                    #expect(try bus.tree() == before)
                }
            }
        }
    }
}

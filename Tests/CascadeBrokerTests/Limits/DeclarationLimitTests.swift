// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

/// The declarations of all nodes of a session are limited, so that one message can repeat them.
@Suite struct DeclarationLimitTests {
    private static func bus(_ options: String) -> ScenarioBus {
        var bus = ScenarioBus()
        for line in ["bus \(options)", "connect a 1 uid=7", "connect b 2 uid=8"] {
            _ = bus.run(line)
        }
        return bus
    }

    private static let sign = "(limit declarationsPerSession)"

    @Test func `declarations of several attaches add up, and a change or a leave frees them`() {
        var bus = Self.bus("declarationsPerSession=6")
        let first = bus.run("attach a /a handle:A subscribe:B watch:k")
        #expect(first.contains("a < attached /a"))
        let two = bus.run("attach a /b env:k=1 + /c triggers:T names:N,M")
        #expect(
            two.contains { $0.contains("7 declarations of one session, more than 6 \(Self.sign)") })
        #expect(
            bus.run("attach a /b env:k=1 + /c triggers:T").contains { $0.contains("attached /b") })
        #expect(bus.run("attach a /d handle:A names:N").contains { $0.contains(Self.sign) })
        #expect(bus.run("change a /a handle:A").contains { $0.contains("done") })
        #expect(bus.run("attach a /d handle:A names:N").contains("a < attached /d"))
        let more = "handle:A handle:B"
        #expect(bus.run("attach a /e \(more)").contains { $0.contains(Self.sign) })
        #expect(bus.run("change a /a \(more) handle:C").contains { $0.contains(Self.sign) })
        _ = bus.run("leave a /b")
        #expect(bus.run("attach a /e \(more)").contains("a < attached /e"))
        // Another session has declarations of its own.
        #expect(bus.run("attach b /f handle:A handle:B watch:k").contains("b < attached /f"))
    }

    @Test func `each 64 bytes of a predicate or a rule count as one more declaration`() {
        var bus = Self.bus("declarationsPerSession=3")
        let short = String(repeating: "x", count: 100)
        let long = String(repeating: "x", count: 200)
        #expect(
            bus.run("attach a /a handle:A?k==\"\(long)\"").contains { $0.contains(Self.sign) })
        #expect(bus.run("attach a /a handle:A?k==\"\(short)\"").contains("a < attached /a"))
        #expect(
            bus.run("attach b /b rule:k\\s<=\\s\"\(long)\"").contains { $0.contains(Self.sign) })
    }

    @Test func `a message with more fields than a session needs is refused undecoded`() throws {
        let limits = Limits()
        let most = Int(limits.declarationsPerSession) + 16 * Int(limits.nodesPerSession)
        for command in [Command.attach, .change, .set, .trigger] {
            var fields = FieldWriter()
            for _ in 0..<most {
                fields.append(.watchedKey, "k")
            }
            try check(fields, of: command, limits)
            fields.append(.watchedKey, "k")
            let error = #expect(throws: WireError.self) {
                try check(fields, of: command, limits)
            }
            #expect(error?.code == .limitReached)
        }
        var node = FieldWriter()
        node.append(.node) { inner in
            for _ in 0..<most {
                inner.append(.watchedKey, "k")
            }
        }
        let error = #expect(throws: WireError.self) {
            try check(node, of: .attach, limits)
        }
        #expect(error?.description.contains(Self.sign) == true)
    }

    private func check(
        _ fields: FieldWriter, of command: Command, _ limits: Limits
    ) throws(WireError) {
        try limits.checkFields(
            of: OwnedPayload(fields: fields.bytes, body: []),
            Header(command, fieldsLength: UInt32(fields.bytes.count)))
    }
}

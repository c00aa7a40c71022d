// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct EscapingTests {
        /// Clears a screen, rings, sets a title, colours by a C1 control, reverses the direction.
        private static let evil =
            "\u{1B}[2J\u{7}\u{1B}]0;title\u{7}\u{9B}31m\u{202E}\u{200B}\r\u{8}end"

        @Test func `control characters in payloads and attributes are printed escaped`() throws {
            try FaultBus.open { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "Order"])
                let screen = try bus.attach("/screen", ["--subscribe", "Menu"])
                let escaped = "{\"dish\":\"\\u001b[2J\\u202e\\u009b\"}"
                let raising = [
                    (["trigger", "Order"], ["--from", "/kitchen"], handler),
                    (["publish", "Menu"], [], screen),
                ]
                for (command, place, program) in raising {
                    for json in [[], ["--json"]] {
                        let outcome = try bus.run(
                            command + [escaped, "--attribute", "note=\(Self.evil)"] + place + json)
                        expectHarmless(outcome)
                        #expect(outcome.exitCode == 0)
                        let raw = try bus.run(
                            command + [Self.evil, "--raw", "text/\(Self.evil)"] + place + json)
                        expectHarmless(raw)
                        #expect(raw.exitCode == 0)
                    }
                    program.signal(SIGTERM)
                    let ending = try program.end()
                    expectHarmless(ending)
                    #expect(ending.output.text.contains("\\u001b[2J"))
                }
            }
        }

        @Test func `control characters in programs and errors are printed escaped`() throws {
            try FaultBus.open { bus in
                let handler = try RawPeer(bus.endpoint)
                try handler.send(
                    Hello(session: .random(), program: Self.evil, processID: UInt32(getpid())))
                _ = try handler.next(Welcome.self)
                let node = try handler.attach(
                    NodeDeclaration(
                        path: "/kitchen",
                        responders: [ResponderDeclaration(.handle, EventName("Order"))]))
                for json in [[], ["--json"]] {
                    for command in [["status", "/kitchen"], ["tree"], ["list"]] {
                        let shown = try bus.run(command + json)
                        #expect(shown.exitCode == 0 && shown.output.text.contains("kitchen"))
                        expectHarmless(shown)
                    }
                    let trigger = try bus.start(["trigger", "Order", "--from", "/kitchen"] + json)
                    let visit = try handler.nextVisit()
                    let failure = Failure(name: EventName("Burnt"), message: Self.evil)
                    try handler.send(
                        Verdict(
                            delivery: visit.id, node: node, code: .failed, failure: failure))
                    let ending = try trigger.end()
                    #expect(ending.exitCode == 10)
                    #expect(ending.output.text.contains("Burnt"))
                    expectHarmless(ending)
                }
            }
        }

        @Test func `control characters in refused arguments are printed escaped`() throws {
            try FaultBus.open { bus in
                let lines = [
                    ["trigger", Self.evil], ["trigger", "Order", Self.evil],
                    ["trigger", "Order", "@/no/\(Self.evil)"],
                    ["trigger", "Order", "--attribute", Self.evil], ["tree", Self.evil],
                    ["tree", "--depth", Self.evil], [Self.evil], ["--\(Self.evil)"],
                    ["tree", "--bus", Self.evil], ["tree", "--bus", "ipc:///no/\(Self.evil)"],
                    ["attach", "/kitchen", "--handle", Self.evil],
                    ["wait", "/kitchen", "--state", Self.evil],
                    ["wait", "/kitchen", "--timeout", Self.evil],
                ]
                for arguments in lines {
                    let ending = try bus.run(arguments)
                    #expect(ending.exitCode != 0)
                    #expect(!ending.diagnostics.bytes.isEmpty)
                    expectHarmless(ending)
                }
            }
        }

        private func expectHarmless(_ ending: SpawnedProgram.Ending) {
            for pipe in [ending.output, ending.diagnostics] {
                #expect(pipe.text.drivesNoTerminal, "\(pipe.text.debugDescription)")
            }
        }
    }
}

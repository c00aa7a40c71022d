// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    /// Commands about lost nodes, programs, events and subscribers.
    @FaultThread
    @Suite struct CommandLineLossTests {
        @Test func `a lost node is vacant at once, and gone after its grace time`() throws {
            try FaultBus.open(["--grace", "3s"]) { bus in
                let node = try bus.attach("/shop", ["--handle", "Order"])
                let gone = try bus.start(["wait", "/shop", "--state", "gone", "--json"])
                let vacant = try bus.start(["wait", "/shop", "--state", "vacant", "--json"])
                node.kill()
                #expect(try vacant.end().document()["state"].string == "vacant")
                #expect(try bus.tree("/shop").nodes.first?.state == "vacant")
                let early = try bus.run(
                    ["wait", "/shop", "--state", "gone", "--timeout", "10ms"])
                #expect(early.exitCode == 75)
                #expect(try gone.end().document()["state"].string == "gone")
                #expect(try bus.run(["tree", "/shop"]).exitCode == 4)
                try bus.run(["wait", "/shop", "--state", "vacant"]).expectSuccess()
            }
        }

        @Test
        func `a program with --stdio is lost when killed, and leaves when it closes its input`()
            throws
        {
            try FaultBus.open { bus in
                let program = """
                    import signal, subprocess, sys
                    pipe = subprocess.PIPE
                    node = subprocess.Popen(sys.argv[1:], stdin=pipe, stdout=pipe)
                    print(node.stdout.readline().decode(), flush=True)
                    if sys.stdin.readline() == 'leave\\n':
                        node.stdin.close()
                        node.stdout.read()
                        sys.exit(node.wait())
                    signal.pause()
                    """
                let words = try [
                    "-c", program, SpawnedProgram.path(of: "cascadectl"), "attach", "/a",
                    "--handle", "X", "--stdio",
                ]
                let leaving = try SpawnedProgram(Script.python, words, bus: bus.endpoint)
                #expect(try leaving.output.line(containing: "attached") != nil)
                leaving.write(line: "leave")
                #expect(try leaving.end().exitCode == 0)
                #expect(try bus.run(["tree", "/a"]).exitCode == 4)

                let killed = try SpawnedProgram(Script.python, words, bus: bus.endpoint)
                #expect(try killed.output.line(containing: "attached") != nil)
                let monitor = try bus.start(["monitor", "--path", "/a", "--since", "1s"])
                killed.kill()
                let line = try monitor.output.line(containing: "  lost  ")
                #expect(line != nil)
                #expect(try bus.tree("/a").nodes.first?.state == "vacant")
            }
        }

        @Test func `a killed node of attach is lost, with --stdio or with a command`() throws {
            try FaultBus.open { bus in
                for answering in [["--stdio"], ["--", "true"]] {
                    let node = try bus.attach("/a", ["--handle", "X"] + answering)
                    node.kill()
                    try bus.wait("/a", "vacant")
                    #expect(try bus.tree("/a").nodes.first?.state == "vacant")
                }
            }
        }

        @Test func `a held event is listed with its payload and cannot be retried`() throws {
            try FaultBus.open { bus in
                let till = try bus.attach("/bar/till", ["--handle", "Early"])
                let trigger = try bus.start([
                    "trigger", "Late", #"{"table":4}"#, "--from", "/bar/till", "--hold", "1m",
                    "--json",
                ])
                var found: JSONText?
                try Patience.until("it is held") {
                    found = try bus.run(["undelivered", "--json"]).document()["undelivered"]
                        .elements.first
                    return found != nil
                }
                let entry = try #require(found)
                let id = try #require(entry["id"].string)
                #expect(entry["payload"]["table"].integer == 4)
                #expect(entry["reason"].string == "held" && !entry["heldUntil"].isMissing)
                let shown = try bus.run(["undelivered", "show", id])
                #expect(shown.output.text.contains(#"{"table":4}"#))
                let retry = try bus.run(["undelivered", "retry", id])
                #expect(retry.exitCode == 3)
                #expect(retry.diagnostics.text.contains("the event \(id) is held until"))
                let bar = try bus.attach("/bar", ["--handle", "Late"])
                #expect(try trigger.end().document()["outcome"].string == "handled")
                #expect(try bar.output.line(containing: id) != nil)
                withExtendedLifetime(till) {}
            }
        }

        @Test func `a publication that failed at some recipients lists them and exits with 10`()
            throws
        {
            try FaultBus.open { bus in
                let well = try bus.attach("/well", ["--subscribe", "Bell"])
                let deaf = try bus.attach("/deaf", ["--subscribe", "Bell", "--throw", "deaf"])
                let mute = try bus.attach("/mute", ["--subscribe", "Bell", "--throw", "mute"])
                let ending = try bus.run(["publish", "Bell", "--to", "all", "--json"])
                #expect(ending.exitCode == 10)
                let document = try ending.document()
                #expect(document["outcome"].string == "delivered")
                #expect(document["paths"].elements.map(\.string) == ["/well"])
                let failed = Set(document["failedPaths"].elements.map(\.string))
                #expect(failed == ["/deaf", "/mute"])
                let text = try bus.run(["publish", "Bell", "--to", "all"])
                #expect(text.exitCode == 10)
                #expect(text.output.text.contains("delivered to /well; failed at "))
                #expect(text.output.text.contains("/deaf") && text.output.text.contains("/mute"))
                well.kill()
                try bus.wait("/well", "vacant")
                let none = try bus.run(["publish", "Bell", "--to", "all"])
                #expect(none.exitCode == 10 && none.output.text.contains("/mute"))
                withExtendedLifetime((deaf, mute)) {}
            }
        }
    }
}

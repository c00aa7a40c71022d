// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// `last` is the subscriber that was activated last, even across a restart of the daemon.
    @FaultThread
    @Suite struct ActivationOrderTests {
        private static func recipient(on bus: FaultBus) throws -> [String]? {
            let outcome = try ShownOutcome(bus.run(["publish", "Menu", "--json"]))
            #expect(outcome.outcome == "delivered")
            return outcome.paths
        }

        @Test func `the destination last is the same after a restart, in any order of attaching`()
            throws
        {
            try FaultBus.open { bus in
                var workers: [(path: String, program: SpawnedProgram)] = []
                for path in ["/one", "/two", "/three", "/four"] {
                    workers.append((path, try bus.attach(path, ["--subscribe", "Menu"])))
                }
                #expect(try Self.recipient(on: bus) == ["/four"])
                #expect(try bus.run(["activate", "/two"]).exitCode == 0)
                #expect(try bus.run(["deactivate", "/three"]).exitCode == 0)
                #expect(try Self.recipient(on: bus) == ["/two"])
                for worker in workers {
                    worker.program.signal(SIGSTOP)
                }
                try bus.killDaemon()
                try bus.startDaemon()
                // The most recently activated worker attaches first.
                for path in ["/two", "/four", "/three", "/one"] {
                    workers.first { $0.path == path }?.program.signal(SIGCONT)
                    try bus.wait(path, path == "/three" ? "inactive" : "live")
                }
                #expect(try Self.recipient(on: bus) == ["/two"])
                // The restored ranks are below those of later nodes, such as a restarted worker.
                let two = try #require(workers.first { $0.path == "/two" }).program
                two.kill()
                _ = try two.end()
                #expect(try Self.recipient(on: bus) == ["/four"])
                let anew = try bus.attach("/two", ["--subscribe", "Menu"])
                #expect(try Self.recipient(on: bus) == ["/two"])
                anew.kill()
            }
        }

        @Test func `the start times of nodes and the bus do not change between queries`() throws {
            try FaultBus.open { bus in
                let one = try bus.attach("/one", ["--subscribe", "Menu"])
                var seen: Set<[String]> = []
                for _ in 0..<10 {
                    let status = try bus.run(["status", "--json"]).document()["since"].string
                    let nodes = try bus.run(["tree", "--json"]).document()["nodes"].elements
                        .compactMap { $0["since"].string }
                    try #require(nodes.count == 3)
                    seen.insert(nodes + [try #require(status)])
                }
                #expect(seen.count == 1)
                one.kill()
            }
        }
    }
}

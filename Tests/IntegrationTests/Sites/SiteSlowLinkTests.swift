// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Links over ways that are slow, and over a server that parts with slow readers.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct SiteSlowLinkTests {
        @Test func `with a delay of 300 ms each way an event has the rest of its deadline above`()
            throws
        {
            let server = SiteServer.Settings(delayMilliseconds: 300)
            try SitePair.openOnServer(server: server) { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order", "--stdio"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                // All are under way at once, so that 64 of them take no longer than one.
                for number in 1...64 {
                    till.write(line: #"{"trigger":"Order","deadline":"20s","ref":\#(number)}"#)
                }
                for _ in 1...64 {
                    try shop.handle(shop.visit())
                }
                for _ in 1...64 {
                    let outcome = try till.output.line(ofLane: "outcome")
                    #expect(outcome["outcome"].string == "handled", "\(outcome)")
                }
                till.write(line: #"{"trigger":"Order","deadline":"400ms","ref":"late"}"#)
                let late = try till.output.line(ofLane: "outcome")
                #expect(late["ref"].string == "late" && late["outcome"].string == "timedOut")
                #expect(!pair.ulmSite.diagnostics.text.contains("cut off"))
            }
        }

        @Test
        func `a gate that reads nothing for 3 s behind a server with little room loses no event`()
            throws
        {
            // The server parts with a reader for which 64 KiB wait.
            let server = SiteServer.Settings(maxPayload: 65_536, maxPending: 65_536)
            try SitePair.openOnServer(server: server) { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                pair.hqSite.stop()
                let payload = String(repeating: "x", count: 10_000)
                for number in 1...64 {
                    till.write(
                        line:
                            #"{"trigger":"Order","payload":"\#(payload)","deadline":"1m","ref":\#(number)}"#
                    )
                }
                try pair.pass("3s")
                pair.hqSite.signal(SIGCONT)
                var told: Set<Int?> = []
                for _ in 1...64 {
                    let outcome = try till.output.line(ofLane: "outcome")
                    #expect(outcome["outcome"].string == "handled", "\(outcome)")
                    told.insert(outcome["ref"].integer)
                }
                #expect(told.count == 64)
                #expect(!pair.ulmSite.diagnostics.text.contains("cut off"))
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `what waits for a slow parent is bounded by the window`() throws {
            try SitePair.openOnServer(settings: "patience: 30s\n") { pair, _ in
                let shop = try pair.attachAbove(["--handle", "Order"])
                let till = try pair.ulm.attach("/till", ["--stdio"])
                let before = try pair.ulmSite.residentByteCount()
                pair.hqSite.stop()
                // 12 MB, of which the link takes 64 KiB, because nothing was acknowledged before.
                let payload = String(repeating: "x", count: 60_000)
                for number in 1...200 {
                    till.write(
                        line:
                            #"{"trigger":"Order","payload":"\#(payload)","deadline":"2s","ref":\#(number)}"#
                    )
                }
                for _ in 1...200 {
                    let outcome = try till.output.line(ofLane: "outcome")
                    #expect(outcome["outcome"].string == "timedOut", "\(outcome)")
                }
                let after = try pair.ulmSite.residentByteCount()
                // What waits at the root is in this process, too; each process keeps it once.
                #expect(after - before < 32_000_000, "\(before) and \(after) bytes")
                pair.hqSite.signal(SIGCONT)
                withExtendedLifetime(shop) {}
            }
        }
    }
}

extension SpawnedProgram {
    /// The memory of the process that is resident now, in bytes.
    @FaultThread
    func residentByteCount() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kilobytes = line?.split(separator: " ").compactMap { Int($0) }.first
        return try #require(kilobytes) * 1_024
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    // A journal that is torn, corrupted, on a full disk or read-only.
    @FaultThread
    @Suite struct JournalFaultTests {
        @Test func `a torn tail of the journal is dropped and logged, and the rest is read`() throws
        {
            try DurableEventTests.open { bus, state in
                try Self.keep(3, on: bus)
                try bus.killDaemon()
                let file = try Self.file(in: state)
                var bytes = try Data(contentsOf: file)
                bytes.removeLast(20)
                try bytes.write(to: file)
                try bus.startDaemon()
                #expect(bus.daemon.diagnostics.text.contains("bytes are dropped"))
                #expect(try bus.counters()["durableUnderWay"] == 2)
            }
        }

        @Test func `a corrupt record loses one event, and its file is kept`() throws {
            try DurableEventTests.open { bus, state in
                try Self.keep(3, on: bus)
                try bus.killDaemon()
                let file = try Self.file(in: state)
                var bytes = try Data(contentsOf: file)
                let place = try #require(bytes.firstRange(of: Data(#"{"number":2}"#.utf8)))
                bytes[place.lowerBound + 3] ^= 0x10
                try bytes.write(to: file)
                try bus.startDaemon()
                let log = bus.daemon.diagnostics.text
                #expect(log.contains("the journal is damaged in 1 places"))
                #expect(log.contains("\(file.lastPathComponent).damaged"))
                #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
                #expect(try bus.counters()["durableUnderWay"] == 2)
                #expect(try bus.counters()["journalDamaged"] == 1)
            }
        }

        @Test func `a record that is corrupted while the daemon runs is logged and counted`() throws
        {
            try DurableEventTests.open { bus, state in
                try Self.keep(3, on: bus)
                let file = try Self.file(in: state)
                let bytes = try Data(contentsOf: file)
                let place = try #require(bytes.firstRange(of: Data(#"{"number":2}"#.utf8)))
                let handle = try FileHandle(forUpdating: file)
                try handle.seek(toOffset: UInt64(place.lowerBound + 3))
                try handle.write(contentsOf: Data([bytes[place.lowerBound + 3] ^ 0x10]))
                try handle.close()
                // Ended events fill the file until it is compacted.
                let bin = try bus.attach("/kitchen/bin", ["--handle", "Waste"])
                let payload = "\"" + String(repeating: "x", count: 50_000) + "\""
                for _ in 0..<120 where try bus.counters()["journalDamaged"] == 0 {
                    try bus.run([
                        "trigger", "Waste", payload, "--from", "/kitchen/bin", "--durable",
                    ]).expectSuccess()
                    // The node prints each event, and must not wait for a reader.
                    try bin.output.readWhatIsThere()
                }
                #expect(try bus.counters()["journalDamaged"] == 1)
                let line = try bus.daemon.diagnostics.line(containing: "damaged in 1 places")
                #expect(line?.contains("\(file.lastPathComponent).damaged") == true)
                #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
                let metrics = try bus.run(["metrics"])
                #expect(metrics.output.text.contains("cascade_journal_damaged_total 1"))
            }
        }

        @Test(.enabled(if: isRoot, "requires root to mount a disk"))
        func `a full disk refuses durable events until there is room, and no others`() throws {
            try Self.withSmallDisk { bus, state in
                let filling = state + "/filling"
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                #expect(FileManager.default.createFile(atPath: filling, contents: nil))
                let handle = try #require(FileHandle(forWritingAtPath: filling))
                while (try? handle.write(contentsOf: Data(count: 4096))) != nil {}
                var refused = try bus.run(Self.trigger)
                // The file's last page may have had room for a few records.
                for _ in 0..<40 where refused.exitCode == 0 {
                    refused = try bus.run(Self.trigger)
                }
                #expect(refused.exitCode == 75)
                #expect(refused.diagnostics.text.contains("No space left"))
                let other = try bus.trigger("Order", ["--from", "/kitchen"])
                #expect(other.outcome == "handled")
                try FileManager.default.removeItem(atPath: filling)
                try handle.close()
                var accepted = try bus.run(Self.trigger)
                for _ in 0..<100 where accepted.exitCode != 0 {
                    accepted = try bus.run(Self.trigger)
                }
                #expect(accepted.exitCode == 0)
                #expect(try kitchen.output.line(containing: "Order") != nil)
            }
        }

        @Test(.enabled(if: isRoot, "requires root to mount a disk"))
        func `on a full disk accepted events end, and new ones begin once there is room`() throws {
            try Self.withSmallDisk { bus, state in
                let oven = try bus.attach("/kitchen/oven", ["--subscribe", "Menu"])
                let trigger = [
                    "trigger", "Order", "--from", "/kitchen/oven", "--durable", "--no-wait",
                ]
                for _ in 1...20 {
                    #expect(try bus.run(trigger).exitCode == 0)
                }
                let filling = state + "/filling"
                #expect(FileManager.default.createFile(atPath: filling, contents: nil))
                let handle = try #require(FileHandle(forWritingAtPath: filling))
                while (try? handle.write(contentsOf: Data(count: 4096))) != nil {}
                // Programs started later would inherit the descriptor and keep the blocks.
                try handle.close()
                var kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                try DurableEventTests.waitFor("durableUnderWay", 0, bus)
                kitchen.kill()
                _ = try kitchen.end()
                try bus.killDaemon()
                try bus.startDaemon()
                try bus.wait("/kitchen/oven", "live")
                #expect(try bus.counters()["durableUnderWay"] == 0)
                // The file's last pages may have room for some records.
                var refused = try bus.run(trigger)
                for _ in 0..<200 where refused.exitCode == 0 {
                    refused = try bus.run(trigger)
                }
                #expect(refused.exitCode == 75)
                try FileManager.default.removeItem(atPath: filling)
                var accepted = try bus.run(trigger)
                for _ in 0..<100 where accepted.exitCode != 0 {
                    accepted = try bus.run(trigger)
                }
                #expect(accepted.exitCode == 0, "\(accepted.diagnostics.text)")
                kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                #expect(try kitchen.output.line(containing: "Order") != nil)
                _ = oven
            }
        }

        @Test func `a corrupt header or last record of the journal is counted as damage`() throws {
            for place in [9, -12] {
                try DurableEventTests.open { bus, state in
                    try Self.keep(3, on: bus)
                    try bus.killDaemon()
                    let file = try Self.file(in: state)
                    var bytes = try Data(contentsOf: file)
                    bytes[place < 0 ? bytes.count + place : place] ^= 0x10
                    try bytes.write(to: file)
                    try bus.startDaemon()
                    #expect(
                        bus.daemon.diagnostics.text.contains("the journal is damaged in 1 places"))
                    #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
                    #expect(try bus.counters()["durableUnderWay"] == (place < 0 ? 2 : 3))
                }
            }
        }

        @Test(.enabled(if: isRoot, "requires root to mount a disk"))
        func `a read-only disk refuses durable events, and no others`() throws {
            try Self.withSmallDisk { bus, state in
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                try Self.keep(1, on: bus)
                try bus.killDaemon()
                try Self.run("/bin/mount", ["-o", "remount,ro", state])
                try bus.startDaemon()
                try bus.wait("/kitchen", "live")
                let refused = try bus.run(Self.trigger)
                #expect(refused.exitCode == 75)
                #expect(refused.diagnostics.text.contains("Read-only"))
                #expect(try bus.counters()["durableUnderWay"] == 1)
                #expect(try bus.trigger("Order", ["--from", "/kitchen"]).outcome == "handled")
                try Self.run("/bin/mount", ["-o", "remount,rw", state])
                var accepted = try bus.run(Self.trigger)
                for _ in 0..<100 where accepted.exitCode != 0 {
                    accepted = try bus.run(Self.trigger)
                }
                #expect(accepted.exitCode == 0)
                #expect(try kitchen.output.line(containing: "Order") != nil)
            }
        }

        @Test func `a second daemon on the same state directory exits and names the lock`() throws {
            try DurableEventTests.open { bus, state in
                let other = try SpawnedProgram(
                    "cascaded",
                    ["--listen", bus.endpoint + "2", "--state-directory", state], bus: "")
                let ending = try other.end()
                #expect(ending.exitCode == 1)
                #expect(ending.diagnostics.text.contains("another process has locked it"))
            }
        }

        // MARK: - Support

        private static let trigger = [
            "trigger", "Order", "--from", "/kitchen", "--durable", "--no-wait",
        ]

        /// Triggers durable events that no node handles.
        private static func keep(_ count: Int, on bus: FaultBus) throws {
            for number in 1...count {
                let payload = #"{"number":\#(number)}"#
                let ending = try bus.run(
                    ["trigger", "Unwanted", payload, "--durable", "--no-wait"])
                #expect(ending.exitCode == 0)
            }
        }

        private static func file(in state: String) throws -> URL {
            let folder = URL(filePath: state + "/journal")
            let files = try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            return try #require(files.first { $0.pathExtension == "journal" })
        }

        /// A bus whose state directory is a disk of 256 KiB.
        private static func withSmallDisk(_ test: (FaultBus, String) throws -> Void) throws {
            let state = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(state) }
            try Self.run(
                "/bin/mount", ["-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs", state])
            defer { try? Self.run("/bin/umount", ["--lazy", state]) }
            try FaultBus.open(["--state-directory", state, "--reattach", "500ms"]) { bus in
                try test(bus, state)
            }
        }

        private static func run(_ program: String, _ arguments: [String]) throws {
            let ending = try SpawnedProgram(program, arguments, bus: "").end()
            try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
        }

        private nonisolated static let isRoot = geteuid() == 0
    }
}

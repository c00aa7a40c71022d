// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

extension Faults {
    /// Messages to a peer that does not read are limited per peer, per user and in total.
    @FaultThread
    @Suite(.enabled(if: OtherUser.isPossible, "requires root to act as two users"))
    struct UnreadAnswerTests {
        @Test(arguments: ["unreadBytes", "bytesPerUser", "waitingBytes"])
        func `a peer that exceeds a limit of unread bytes is disconnected`(limit: String) throws {
            try FaultBus.open(["--limit", "\(limit)=8388608"]) { bus in
                let before = try bus.daemon.residentMegabytes
                let greedy = try GreedyPeer.start(["subscribe", "4"], on: bus)
                try #require(try greedy.output.line(containing: "done") != nil)
                let publisher = try RawPeer.greeted(bus.endpoint)
                // 13 MiB for each of the peers; the kernel and libzmq buffer some of it.
                for _ in 1...200 {
                    try publisher.emit("Menu", byteCount: 1 << 16)
                    _ = try publisher.query()
                }
                let line = try bus.daemon.diagnostics.line(containing: "does not read")
                #expect(line?.contains("limit \(limit)") == true, "\(line ?? "")")
                let most = try bus.daemon.residentMegabytes
                print("beside unread publications: \(before) MiB, then \(most) MiB")
                #expect(most < before + 100)
                greedy.kill()
                _ = try greedy.end()
            }
        }

        @Test(.onlyBuiltin("libzmq frees messages at times of its own"))
        func `memory of unread messages is released with the peer`() throws {
            try FaultBus.open { bus in
                let before = try bus.daemon.residentMegabytes
                let greedy = try GreedyPeer.start(["subscribe", "4"], on: bus)
                try #require(try greedy.output.line(containing: "done") != nil)
                let publisher = try RawPeer.greeted(bus.endpoint)
                // 50 MiB, shared by all peers.
                for _ in 1...800 {
                    try publisher.emit("Menu", byteCount: 1 << 16)
                    try publisher.awaitAnswer()
                }
                let most = try bus.daemon.residentMegabytes
                greedy.kill()
                _ = try greedy.end()
                print("unread: \(before) MiB, then \(most) MiB")
                #expect(most > before + 40)
                try Patience.until("memory comes back") {
                    try publisher.awaitAnswer()
                    return try bus.daemon.residentMegabytes < before + 40
                }
            }
        }
    }

    @FaultThread
    @Suite(.enabled(if: OtherUser.isPossible, "requires root to act as two users"))
    struct ChosenIDTests {
        private nonisolated static let names = [
            "67726565", "00", "0001", "00deadbeef", "00010203", "000102030405",
            String(repeating: "00", count: 255),
        ]

        @Test(arguments: names)
        func `peers that choose the same routing ID are served apart`(name: String) throws {
            try FaultBus.open(["--transport", "builtin"]) { bus in
                let peers = try GreedyPeer.start(["same", name], on: bus)
                for _ in 1...2 {
                    #expect(try peers.output.line(containing: "answered") != nil)
                }
                peers.closeInput()
                #expect(try peers.end().exitCode == 0)
            }
        }

        @Test(arguments: names)
        func `with libzmq a peer that chooses its routing ID is told and disconnected`(
            name: String
        ) throws {
            try FaultBus.open(["--transport", "libzmq"]) { bus in
                let greedy = try GreedyPeer.start(["named", name], on: bus)
                let answer = try greedy.output.line(containing: "answer")
                #expect(answer?.contains("must not choose its routing ID") == true)
                #expect(try greedy.output.line(containing: "closed") != nil)
                #expect(try bus.daemon.diagnostics.line(containing: "routing ID") != nil)
                greedy.closeInput()
                #expect(try greedy.end().exitCode == 0)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The processes and files of the quickstart.
@Suite(.timeLimit(.minutes(1))) struct PrintShopTests {
    private static let text = Array("Dear Ada,\n".utf8)
    private static let pdf = Array("%PDF-1.4\n".utf8)
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let program: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 0x02, 0x01]

    // The laser stands next to the spool and is asked first, for texts and PDFs up to 1 MiB; then
    // the photo printer, for pictures and PDFs; then the shop's floor.
    @Test func `each file goes to the nearest printer that takes it or is rejected with a reason`()
        async throws
    {
        try await PrintShop.open { shop in
            try shop.drop("letter.txt", Self.text)
            try shop.drop("form.pdf", Self.pdf)
            try shop.drop("long.pdf", Self.pdf + [UInt8](repeating: 0, count: 1_048_576))
            try shop.drop("picture.png", Self.png)
            try shop.drop("rubbish", [0, 1, 2])
            try shop.drop("game", Self.program)
            try shop.drop("nothing.txt", [])
            try await shop.arrival(
                of: ["letter.txt", "form.pdf", "long.pdf", "picture.png", "rubbish"],
                in: "spool/done")
            try await shop.arrival(of: ["game", "nothing.txt"], in: "spool/rejected")
            #expect(
                try shop.lines(of: "out/laser.txt").sorted() == [
                    "laser printed form.pdf: 9 bytes, crc32 182885869, 1 copies",
                    "laser printed letter.txt: 10 bytes, crc32 1125342556, 1 copies",
                ])
            #expect(
                try shop.lines(of: "out/photo.txt").map { $0.prefix { $0 != ":" } }.sorted() == [
                    "photo printed long.pdf", "photo printed picture.png",
                ])
            #expect(try shop.lines(of: "out/by-hand.txt") == ["rubbish: 3 bytes, unknown"])
            #expect(
                try shop.lines(of: "spool/rejected/game.reason") == [
                    "game: no node accepts it (program, 6 bytes)"
                ])
            #expect(
                try shop.lines(of: "spool/rejected/nothing.txt.reason") == [
                    "nothing.txt: no node accepts it (unknown, 0 bytes)"
                ])
        }
    }

    @Test func `an announcement goes to the display that was activated last`() async throws {
        try await PrintShop.open { shop in
            try await shop.startDisplay("window")
            try await shop.startDisplay("counter")
            try shop.drop("first.txt", Self.text)
            try await shop.line("first.txt is ready", in: "counter.txt")
            try await shop.signal("counter", SIGTERM)
            #expect(try await shop.end(of: "counter") == 0)
            try shop.drop("second.txt", Self.text)
            try await shop.line("second.txt is ready", in: "window.txt")
            #expect(try shop.lines(of: "out/window.txt") == ["second.txt is ready"])
            #expect(try shop.lines(of: "out/counter.txt") == ["first.txt is ready"])
        }
    }

    // A stopped process accepts nothing, so the event sent to it is not accepted.
    @Test func `a job of a killed printer goes to the next, and the restarted one works again`()
        async throws
    {
        try await PrintShop.open { shop in
            try await shop.signal("laser", SIGSTOP)
            try shop.drop("form.pdf", Self.pdf)
            try await shop.signal("laser", SIGKILL)
            #expect(try await shop.end(of: "laser") == SIGKILL)
            try await shop.arrival(of: ["form.pdf"], in: "spool/done")
            #expect(try shop.lines(of: "out/photo.txt").count == 1)
            try await shop.startLaser()
            try shop.drop("letter.txt", Self.text)
            try await shop.arrival(of: ["letter.txt"], in: "spool/done")
            #expect(try shop.lines(of: "out/laser.txt").count == 1)
        }
    }

    @Test func `files that arrive without a spool are printed once the spool starts`() async throws
    {
        try await PrintShop.open { shop in
            try await shop.signal("spool", SIGTERM)
            #expect(try await shop.end(of: "spool") == 0)
            try shop.drop("a.txt", Self.text)
            try shop.drop("b.txt", Self.text)
            try await shop.startSpool()
            try await shop.arrival(of: ["a.txt", "b.txt"], in: "spool/done")
            #expect(try shop.lines(of: "out/laser.txt").count == 2)
        }
    }

    // All processes wait for the bus and attach again. Whether the laser or the floor gets the job
    // depends on which attaches first.
    @Test func `a file is printed once although the daemon is restarted`() async throws {
        try await PrintShop.open { shop in
            try await shop.signal("daemon", SIGKILL)
            #expect(try await shop.end(of: "daemon") == SIGKILL)
            try shop.drop("letter.txt", Self.text)
            try await shop.startDaemon()
            try await shop.arrival(of: ["letter.txt"], in: "spool/done")
            let printed = try shop.lines(of: "out/laser.txt") + shop.lines(of: "out/by-hand.txt")
            #expect(printed.count == 1)
        }
    }
}

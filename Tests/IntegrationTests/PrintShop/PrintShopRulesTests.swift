// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Values set from outside and rules change the behaviour of running processes.
@Suite(.timeLimit(.minutes(1))) struct PrintShopRulesTests {
    private static let text = Array("Dear Ada,\n".utf8)
    private static let pdf = Array("%PDF-1.4\n".utf8)
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    @Test func `by day files are printed as without rules`() async throws {
        try await PrintShop.open(rules: true) { shop in
            try await shop.startDisplay("counter")
            try shop.drop("letter.txt", Self.text)
            try await shop.line("letter.txt is ready", in: "counter.txt")
            #expect(
                try shop.lines(of: "out/laser.txt") == [
                    "laser printed letter.txt: 10 bytes, crc32 1125342556, 1 copies"
                ])
        }
    }

    @Test func `at night files wait until the morning, and the greeting changes`() async throws {
        try await PrintShop.open(rules: true) { shop in
            try await shop.startDisplay("counter")
            try await shop.set(#"timeOfDay="night""#)
            try await shop.arrival(of: [".closed"], in: "spool")
            try shop.drop("letter.txt", Self.text)
            try await shop.set(#"timeOfDay="morning""#)
            try await shop.line("Good morning! letter.txt is ready", in: "counter.txt")
            #expect(try shop.lines(of: "out/laser.txt").count == 1)
        }
    }

    @Test func `a saving shop prints no pictures and on both sides, unless values override it`()
        async throws
    {
        try await PrintShop.open(rules: true) { shop in
            try await shop.set("isSaving=true")
            try shop.drop("picture.png", Self.png)
            try shop.drop("letter.txt", Self.text)
            try await shop.arrival(of: ["picture.png", "letter.txt"], in: "spool/done")
            #expect(try shop.lines(of: "out/by-hand.txt") == ["picture.png: 8 bytes, png"])
            #expect(try shop.lines(of: "out/laser.txt").first?.hasSuffix(", on both sides") == true)
            try await shop.close()
            try shop.drop("second.png", Self.png)
            try shop.drop("second.txt", Self.text)
            try await shop.open("isDuplex=false", "allowsColour=true", "copies=2")
            try await shop.arrival(of: ["second.png", "second.txt"], in: "spool/done")
            #expect(try shop.lines(of: "out/photo.txt").first?.hasSuffix("2 copies") == true)
            #expect(try shop.lines(of: "out/laser.txt").last?.hasSuffix("2 copies") == true)
        }
    }

    @Test func `a file whose paper the laser lacks goes to the next printer`() async throws {
        try await PrintShop.open(rules: true) { shop in
            try await shop.set(#"season="holidays""#)
            try shop.drop("form.pdf", Self.pdf)
            try await shop.arrival(of: ["form.pdf"], in: "spool/done")
            #expect(try shop.lines(of: "out/laser.txt").isEmpty)
            #expect(try shop.lines(of: "out/photo.txt").first?.hasSuffix(", on a3") == true)
        }
    }

    @Test func `during the exams the copies are limited, and other texts are shown`() async throws {
        try await PrintShop.open(rules: true) { shop in
            try await shop.startDisplay("counter")
            try await shop.set(#"season="exams""#)
            try shop.drop("letter.txt", Self.text)
            try await shop.line("Good luck! letter.txt is ready", in: "counter.txt")
            #expect(try shop.lines(of: "out/laser.txt").count == 1)
            try await shop.close()
            try shop.drop("form.pdf", Self.pdf)
            try await shop.open("copies=6")
            try await shop.line("Good luck! form.pdf takes a little longer", in: "counter.txt")
            #expect(try shop.lines(of: "out/photo.txt").isEmpty)
        }
    }

    @Test func `in the holidays no file is handled by hand, and only the counter shows a bell`()
        async throws
    {
        try await PrintShop.open(rules: true) { shop in
            try await shop.startDisplay("window")
            try await shop.startDisplay("counter")
            try await shop.set(#"season="holidays""#, #"timeOfDay="evening""#)
            try shop.drop("rubbish", [0, 1, 2])
            try await shop.arrival(of: ["rubbish"], in: "spool/rejected")
            #expect(try shop.lines(of: "out/by-hand.txt").isEmpty)
            try await shop.control(
                "publish", "DoorBell", #"{"door":"back"}"#, "--to", "all")
            try await shop.line("* at the back door: ring!", in: "counter.txt")
            #expect(try shop.lines(of: "out/window.txt").isEmpty)
        }
    }

    // The laser stands below the photo printer, whose health must not replace the laser's.
    @Test func `the health of the weakest printer reaches the root and recovers`() async throws {
        try await PrintShop.open(rules: true) { shop in
            let job = { (crc32: Int) in
                """
                {"file":"\(shop.directory)/form.pdf","byteCount":9,"kind":"pdf",\
                "crc32":\(crc32),"copies":1}
                """
            }
            try Data(Self.pdf).write(to: URL(filePath: "\(shop.directory)/form.pdf"))
            let from = ["--from", "/shop/photo/laser"]
            #expect(try await shop.control("trigger", "PrintJob", job(1), from[0], from[1]) == 10)
            try await shop.line("0.5", in: "health.txt")
            #expect(
                try await shop.answer("preferences", "/", "--json").contains(
                    #""preferences":{"health":0.5}"#))
            #expect(
                try await shop.control(
                    "trigger", "PrintJob", job(182_885_869), from[0], from[1]) == 0)
            try await shop.line("1.0", in: "health.txt")
        }
    }
}
